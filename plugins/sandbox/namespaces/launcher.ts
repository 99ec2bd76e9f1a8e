/**
 * The program that sets a sandbox up, runs one program in it and answers. It is written in Perl because Perl is on every
 * Debian and Ubuntu, starts in two milliseconds, and makes system calls by number: nothing has to be compiled or
 * installed, and no helper has to be found and started for each of the thirty steps.
 *
 * Two processes. The outer one clones the inner one into namespaces of its own, maps its user id and waits. The inner one
 * is process 1 in there: it builds the file tree, drops every privilege, starts the program, watches it, ends everything
 * at the first limit, and writes the answer. The program cannot signal, trace or read it. The outer one is killed with its
 * parent, the inner one with the outer one, and with the inner one the kernel kills whatever is left.
 *
 * Request (standard input) and answer (standard output) are in the form of `frames.ts`.
 */
export const LAUNCHER = String.raw`use strict;
use warnings;

$0 = "verl-sandbox";
my ($parent) = @ARGV;
my $nobody = 65534;
my $root = $> == 0;
binmode STDIN;
binmode STDOUT;
my @fields = list(do { local $/; <STDIN> });
exit 1 if @fields != 11;
my ($numbers, $limits, $mounts, $links, $texts, $files, $stdin, $rlimits, $environment, $command, $filter) = @fields;
my ($collect, $wall, $cpu, $memory, $disk, $inodes, $output) = list($limits);
my %nr = list($numbers);

sub list { unpack "(N/a*)*", $_[0] }
sub frames { pack "(N/a*)*", @_ }

# Ends the attempt before the program has run; the answer names the step.
sub fail { my ($step) = @_; print frames("failed", $step, $! + 0, "$!"); exit 1 }

sub call { my ($name, @arguments) = @_; syscall $nr{$name} + 0, @arguments }

sub must {
  my ($step, $name, @arguments) = @_;
  my $result = call($name, @arguments);
  fail($step) if $result < 0;
  return $result;
}

sub put {
  my ($path, $content) = @_;
  open my $file, ">", $path or fail("write $path");
  length $content == (syswrite($file, $content) // -1) or fail("write $path");
  close $file or fail("write $path");
}

sub slurp { open my $file, "<", $_[0] or return ""; local $/; <$file> // "" }

# Makes the folders above a path.
sub folders { my ($path) = @_; mkdir substr $path, 0, pos $path while $path =~ m{(?<=[^/])(?=/)}g }

# Milliseconds of the monotonic clock.
sub now {
  my $time = "\0" x 16;
  syscall $nr{clock_gettime} + 0, 1, $time;
  my ($seconds, $nanoseconds) = unpack "qq", $time;
  return $seconds * 1000 + $nanoseconds / 1e6;
}

# Outside. PR_SET_PDEATHSIG comes first, so that nothing outlives the parent. If memory runs out, the kernel is to choose
# this tree.
must("die with the parent", "prctl", 1, 9, 0, 0, 0);
exit 1 if getppid != $parent;
if (open my $score, ">", "/proc/self/oom_score_adj") { syswrite $score, "1000" }

pipe my $go, my $ready or fail("pipe");
# CLONE_NEW… for mount, cgroup, UTS, IPC, user, PID and network, and SIGCHLD.
my $inner = must("clone", "clone", 0x7e020000 | 17, 0, 0, 0, 0);
if ($inner) {
  my ($uid, $gid) = $root ? ($nobody, $nobody) : ($>, $) + 0);
  put("/proc/$inner/setgroups", "deny") unless $root;
  put("/proc/$inner/uid_map", "$nobody $uid 1");
  put("/proc/$inner/gid_map", "$nobody $gid 1");
  syswrite $ready, "1";
  waitpid $inner, 0;
  exit 0;
}

# Inside. Nobody from here on, outside of the namespace too where root started it.
close $ready;
exit 1 unless sysread $go, my $mapped, 1;
must("drop groups", "setgroups", 0, 0) if $root;
must("change group", "setresgid", $nobody, $nobody, $nobody);
must("change user", "setresuid", $nobody, $nobody, $nobody);
must("die with the launcher", "prctl", 1, 9, 0, 0, 0);
{ my $gone = ""; vec($gone, fileno $go, 1) = 1; exit 1 if select $gone, undef, undef, 0 }

# A new root on a small tmpfs. The old one lies under /old until everything that is to be seen is mounted.
must("make mounts private", "mount", "none", "/", 0, 0x44000, 0);
must("mount the root", "mount", "tmpfs", "/tmp", "tmpfs", 6, "size=4m,mode=755");
mkdir "/tmp/old" or fail("make a folder");
must("pivot_root", "pivot_root", "/tmp", "/tmp/old");
chdir "/";
for (my @list = list($mounts); my ($from, $to, $attributes) = splice @list, 0, 3;) {
  folders($to);
  if (-d "/old$from") { mkdir $to } else { put($to, "") }
  must("mount $from", "mount", "/old$from", $to, 0, 0x5000, 0);
  must("restrict $from", "mount_setattr", -100, $to, 0x8000, pack("Qx24", $attributes), 32);
}
for (my @list = list($links); my ($target, $path) = splice @list, 0, 2;) { folders($path); symlink $target, $path }
for (my @list = list($texts); my ($path, $content) = splice @list, 0, 2;) { folders($path); put($path, $content) }
mkdir "/proc";
must("mount /proc", "mount", "proc", "/proc", "proc", 14, "subset=pid");

# One tmpfs for all that can be written, so that one limit holds for it.
mkdir $_ for "/tmp", "/sandbox", "/dev/shm";
must("mount the work folder", "mount", "tmpfs", "/sandbox", "tmpfs", 6, "size=$disk,nr_inodes=$inodes,mode=755");
mkdir "/sandbox/$_" for "tmp", "shm", "work";
put("/sandbox/stdin", $stdin);
open my $input, "<", "/sandbox/stdin" or fail("open the input");
unlink "/sandbox/stdin";
for (["tmp", "/tmp"], ["shm", "/dev/shm"], ["work", "/sandbox"]) {
  must("mount $_->[1]", "mount", "/sandbox/$_->[0]", $_->[1], 0, 0x1000, 0);
}
for (my @list = list($files); my ($path, $content) = splice @list, 0, 2;) {
  folders("/sandbox/$path");
  put("/sandbox/$path", $content);
}
must("leave the old root", "umount2", "/old", 2);
rmdir "/old";
must("restrict the root", "mount_setattr", -100, "/", 0, pack("Qx24", 7), 32);
must("set the host name", "sethostname", "sandbox", 7);

# No privilege is left, none can be gained, and the program cannot look into this process.
for (0 .. 63) { last if call("prctl", 24, $_, 0, 0, 0) < 0 }
must("refuse new privileges", "prctl", 38, 1, 0, 0, 0);
must("drop capabilities", "capset", pack("LL", 0x20080522, 0), "\0" x 24);
must("hide from the program", "prctl", 4, 0, 0, 0, 0);

pipe my $said, my $stdout or fail("pipe");
pipe my $complained, my $stderr or fail("pipe");
pipe my $started, my $report or fail("pipe");
my $program = fork // fail("fork");
if (!$program) {
  open STDIN, "<&", $input;
  open STDOUT, ">&", $stdout;
  open STDERR, ">&", $stderr;
  # Closed by a successful exec; otherwise it says which step failed.
  select $report;
  $| = 1;
  call("setsid");
  for (my @list = list($rlimits); my ($resource, $soft, $hard) = splice @list, 0, 3;) {
    must("set limit $resource", "prlimit64", 0, $resource + 0, pack("QQ", $soft, $hard), 0);
  }
  must("close descriptors", "close_range", 3, 0xffffffff, 4);
  %ENV = list($environment);
  chdir "/sandbox";
  my ($file, @argv) = list($command);
  must("load the filter", "prctl", 22, 2, pack("SxxxxxxP", length($filter) / 8, $filter), 0, 0);
  exec { $file } @argv or fail("start $file");
}
close $_ for $input, $stdout, $stderr, $report;
my $start = now();
my $problem = do { local $/; <$started> };
if ($problem ne "") { print $problem; exit 1 }

sub processes { opendir my $proc, "/proc" or return; grep { /^\d+$/ && $_ != 1 } readdir $proc }

# KiB of memory and milliseconds of processor time of everything alive; the dead are in times().
sub used {
  my ($memory, $time) = (0, 1000 * ((times)[2] + (times)[3]));
  for my $pid (processes()) {
    $memory += resident($pid);
    my @stat = split " ", slurp("/proc/$pid/stat") =~ s/.*\) //sr;
    $time += 10 * ($stat[11] + $stat[12] + $stat[13] + $stat[14]) if @stat > 14;
  }
  return ($memory, $time);
}

sub resident {
  my ($status, $sum) = (slurp("/proc/$_[0]/status"), 0);
  $sum += $1 while $status =~ /^(?:RssAnon|RssShmem|VmPTE|VmSwap|HugetlbPages):\s+(\d+)/mg;
  return $sum;
}

# The same memory with what processes share counted once: exact, and too slow to be asked all the time. A process that
# hides its map counts in full.
sub proportional {
  my $sum = 0;
  for my $pid (processes()) {
    my $map = slurp("/proc/$pid/smaps_rollup");
    if ($map eq "") { $sum += resident($pid) }
    $sum += $1 while $map =~ /^(?:Pss_Anon|Pss_Shmem|SwapPss|Private_Hugetlb|Shared_Hugetlb):\s+(\d+)/mg;
  }
  return $sum;
}

my @pipes = ($said, $complained);
my @text = ("", "");
my @cut = (0, 0);
my ($outcome, $ended) = ("");

# Reads what there is; false at the end of the pipe.
sub take {
  my ($i) = @_;
  return 1 if sysread $pipes[$i], $text[$i], 65536, length $text[$i];
  $pipes[$i] = undef;
  return 0;
}

sub bound_output {
  for (grep { length $text[$_] > $output } 0, 1) {
    $text[$_] = substr $text[$_], 0, $output;
    $cut[$_] = 1;
    $outcome ||= "output-limit";
  }
}

sub reap { my ($how) = @_; while ((my $pid = waitpid -1, $how) > 0) { $ended = $? if $pid == $program } }

my $watch = must("watch the program", "pidfd_open", $program, 0);
my $next = 0;
until ($outcome || defined $ended) {
  my $ready = "";
  vec($ready, $_, 1) = 1 for $watch, map { defined $_ ? fileno $_ : () } @pipes;
  my $some = select $ready, undef, undef, 0.01;
  for (0, 1) { take($_) if $some > 0 && defined $pipes[$_] && vec($ready, fileno $pipes[$_], 1) }
  bound_output();
  reap(1);
  my $time = now();
  next if defined $ended || $time < $next;
  $next = $time + 10;
  my ($kib, $ms) = used();
  $outcome ||= "timeout" if $time - $start > $wall || $ms > $cpu;
  $outcome ||= "memory" if $kib > $memory && proportional() > $memory;
}
my $took = now() - $start;
call("kill", -1, 9);
reap(0);
for my $i (0, 1) { 1 while defined $pipes[$i] && length $text[$i] <= $output && take($i) }
bound_output();

# Regular files that no link leads to. Nobody is left who could change one between two looks at it.
my @collected;
my $room = $disk;
chdir "/sandbox";
for my $path (list($collect)) {
  my @parts = split m{/}, $path;
  next if grep { -l join "/", @parts[0 .. $_] } 0 .. $#parts;
  next if !-f $path || -s $path > $room;
  $room -= -s $path;
  push @collected, $path, slurp($path);
}
my $burnt = 1000 * ((times)[2] + (times)[3]);
print frames("done", $outcome, $ended // 9, $took, $burnt, $text[0], $cut[0], $text[1], $cut[1], @collected);
`;
