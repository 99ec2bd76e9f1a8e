import type { CompletionCommand, CompletionOption, CompletionSpec } from "./spec.js";

export type Shell = "bash" | "zsh" | "fish";

/** The script that a shell reads. It holds all words itself, so that completing starts no process but a shell's own. */
export function completionScript(shell: Shell, spec: CompletionSpec): string {
  const candidates = candidatesFunction(spec);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](candidates);
}

/**
 * `_verl_candidates WORD…`, in the language of any POSIX shell: the words after `verl`, of which the last is being typed. Prints
 * candidates, one a line; one that ends in `.` or `=` goes on. `@files`, `@folders` and `@yaml` ask the shell for files.
 */
function candidatesFunction({ commands, keys }: CompletionSpec): string {
  return `
_verl_commands() { case "$1" in
${commands.map(({ path, subcommands }) => `  '${path}') echo '${subcommands.join(" ")}' ;;`).join("\n")}
esac; }
_verl_options() { case "$1" in
${commands.map(({ path, options }) => `  '${path}') echo '${options.flatMap(({ names }) => names).join(" ")}' ;;`).join("\n")}
esac; }
# What an option takes: nothing for a switch.
_verl_option_value() { case "$1 $2" in
${commands.flatMap((command) => command.options.flatMap((option) => optionCase(command, option))).join("\n")}
esac; }
# What the argument number $2 is; the last one repeats.
_verl_word() { case "$1 $2" in
${commands.flatMap(wordCases).join("\n")}
esac; }
_verl_keys='
${keys.map(({ key }) => key).join("\n")}
'
_verl_key_values() { case "$1" in
${keys.flatMap(({ key, values, file }) => (values.length > 0 ? `  ${key}) echo '${values.join(" ")}' ;;` : file ? `  ${key}) echo @files ;;` : [])).join("\n")}
esac; }
_verl_starting() { # those of $2… that begin with $1
  _verl_start=$1; shift
  for _verl_each in "$@"; do case "$_verl_each" in "$_verl_start"*) echo "$_verl_each" ;; esac; done
}
_verl_key_candidates() { # $1 = beginning, $2 = what follows a whole key
  _verl_last=
  for _verl_each in $_verl_keys; do
    case "$_verl_each" in "$1"*) ;; *) continue ;; esac
    _verl_rest=\${_verl_each#"$1"}
    case "$_verl_rest" in
      *.*) _verl_found="$1\${_verl_rest%%.*}." ;;
      *) _verl_found="$_verl_each$2" ;;
    esac
    [ "$_verl_found" = "$_verl_last" ] || echo "$_verl_found"
    _verl_last=$_verl_found
  done
}
_verl_config() { # $1 = an override or a file, as far as it is typed
  _verl_plus=
  case "$1" in ++*) _verl_plus=++ ;; +*) _verl_plus=+ ;; '~'*) _verl_plus='~' ;; esac
  _verl_bare=\${1#"$_verl_plus"}
  case "$_verl_bare" in
    *=*)
      _verl_key=\${_verl_bare%%=*}
      _verl_list=$(_verl_key_values "$_verl_key")
      [ "$_verl_list" = @files ] && { echo @files; return; }
      for _verl_each in $_verl_list; do
        case "$_verl_key=$_verl_each" in "$_verl_bare"*) echo "$_verl_plus$_verl_key=$_verl_each" ;; esac
      done ;;
    *)
      _verl_end==
      [ "$_verl_plus" = '~' ] && _verl_end=
      _verl_key_candidates "$_verl_bare" "$_verl_end" | while read -r _verl_each; do echo "$_verl_plus$_verl_each"; done
      [ -n "$_verl_plus" ] || echo @yaml ;;
  esac
}
_verl_kind() { # $1 = kind and values, $2 = the word
  case "$1" in
    config) _verl_config "$2" ;;
    key) _verl_key_candidates "$2" '' ;;
    @*) echo "$1" ;;
    *) _verl_starting "$2" $1 ;;
  esac
}
_verl_candidates() {
  _verl_path= _verl_n=0 _verl_takes=
  while [ $# -gt 1 ]; do
    if [ -n "$_verl_takes" ]; then _verl_takes=
    else case "$1" in
      -*) _verl_takes=$(_verl_option_value "$_verl_path" "$1") ;;
      *) case " $(_verl_commands "$_verl_path") " in
          *" $1 "*) _verl_path="\${_verl_path:+$_verl_path }$1" ;;
          *) _verl_n=$((_verl_n + 1)) ;;
        esac ;;
    esac; fi
    shift
  done
  if [ -n "$_verl_takes" ]; then _verl_kind "$_verl_takes" "$1"; return; fi
  case "$1" in -*) _verl_starting "$1" $(_verl_options "$_verl_path"); return ;; esac
  _verl_starting "$1" $(_verl_commands "$_verl_path")
  _verl_kind "$(_verl_word "$_verl_path" "$_verl_n")" "$1"
}
`.trim();
}

type Word = CompletionCommand["words"][number];

/** `config`, `key`, `@files`, `@folders`, or the values; a single space for something that nobody can complete. */
function kindText({ kind, values }: Word): string {
  if (kind === "files" || kind === "folders") return `@${kind}`;
  if (kind === "values") return values.join(" ");
  return kind === "none" ? " " : kind;
}

function optionCase({ path }: CompletionCommand, { names, value }: CompletionOption): string[] {
  return value ? [`  ${names.map((name) => `'${path} ${name}'`).join("|")}) echo '${kindText(value)}' ;;`] : [];
}

function wordCases({ path, words }: CompletionCommand): string[] {
  return words.map((word, i) => {
    const pattern = i === words.length - 1 ? `'${path} '*` : `'${path} ${i}'`;
    return `  ${pattern}) echo '${kindText(word)}' ;;`;
  });
}

function bashScript(candidates: string): string {
  return `# verl completion for bash. Read it from ~/.bashrc:  source <(verl completion bash)
${candidates}
_verl() {
  local line="\${COMP_LINE:0:COMP_POINT}" word found shown
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  # Bash takes what stands behind = and : for a word of its own.
  shown="\${word%"\${word##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r found; do
    case "$found" in
      @folders) while IFS= read -r found; do COMPREPLY+=("$found/"); done < <(compgen -d -- "\${word##*[=:]}") ;;
      @yaml) while IFS= read -r found; do
          if [[ -d $found ]]; then COMPREPLY+=("$found/"); elif [[ $found == *.y?(a)ml ]]; then COMPREPLY+=("$found "); fi
        done < <(compgen -f -- "\${word##*[=:]}") ;;
      @*) while IFS= read -r found; do
          if [[ -d $found ]]; then COMPREPLY+=("$found/"); else COMPREPLY+=("$found "); fi
        done < <(compgen -f -- "\${word##*[=:]}") ;;
      *[.=]) COMPREPLY+=("\${found#"$shown"}") ;;
      *) COMPREPLY+=("\${found#"$shown"} ") ;;
    esac
  done < <(_verl_candidates "\${words[@]:1}")
}
shopt -s extglob
complete -o nospace -F _verl verl
`;
}

function zshScript(candidates: string): string {
  return `#compdef verl
# verl completion for zsh. Put it into a folder of $fpath as _verl, or read it from ~/.zshrc after compinit:
#   source <(verl completion zsh)
_verl_posix() { emulate -L sh; _verl_candidates "$@"; }
${candidates}
_verl() {
  local found
  local -a whole open
  for found in "\${(@f)$(_verl_posix "\${(@)words[2,CURRENT]}")}"; do
    case "$found" in
      '') ;;
      @folders) _files -/ ;;
      @yaml) _files -g '*.(yaml|yml)' ;;
      @*) compset -P '*='; _files ;;
      *[.=]) open+=("$found") ;;
      *) whole+=("$found") ;;
    esac
  done
  (( $#open )) && compadd -S '' -- $open
  (( $#whole )) && compadd -- $whole
}
compdef _verl verl
`;
}

function fishScript(candidates: string): string {
  const quoted = candidates.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `# verl completion for fish. Read it from ~/.config/fish/completions/verl.fish:  verl completion fish | source
set -g __verl_posix '${quoted}'
function __verl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for found in (sh -c "$__verl_posix"'; _verl_candidates "$@"' sh $words[2..] "$current")
        switch $found
            case @folders
                __fish_complete_directories "$current"
            case @yaml
                __fish_complete_suffix .yaml
            case '@*'
                __fish_complete_path "$current"
            case '*'
                echo $found
        end
    end
end
complete -c verl -f -a '(__verl_complete)'
`;
}
