import { isVerlError, lineLogger, type VerlError } from "../../../../core/host/index.js";
import { createHost, type Host, type HostOptions } from "../../../../core/index.js";
import { cpuPlugin } from "../../../../platforms/cpu/index.js";
import { type Files, Project } from "./project.js";

/** Makes projects and hosts and removes them after each test. */
export class Bench {
  readonly log: string[] = [];
  private readonly projects: Project[] = [];
  private readonly hosts: Host[] = [];

  project(files: Files = {}): Project {
    const project = new Project(files);
    this.projects.push(project);
    return project;
  }

  /** A host in `project` that loads `modules`. */
  async host(project: Project, modules: string, options: HostOptions = {}): Promise<Host> {
    const host = await createHost({
      cwd: project.dir,
      env: { VERL_USE_EXTERNAL_MODULES: modules },
      builtins: [cpuPlugin],
      logger: lineLogger((line) => this.log.push(line)),
      ...options,
    });
    this.hosts.push(host);
    return host;
  }

  /** The coded error with which making the host fails. */
  async failure(project: Project, modules: string, options: HostOptions = {}): Promise<VerlError> {
    return rejection(this.host(project, modules, options));
  }

  async clean(): Promise<void> {
    await Promise.all(this.hosts.splice(0).map((host) => host.dispose()));
    for (const project of this.projects.splice(0)) project.remove();
    this.log.length = 0;
  }
}

/** The coded error that a promise rejects with; anything else fails the test. */
export async function rejection(promise: Promise<unknown>): Promise<VerlError> {
  try {
    await promise;
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
  throw new Error("it did not reject");
}

/** The coded error that a call throws. */
export function thrown(body: () => unknown): VerlError {
  try {
    body();
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
  throw new Error("it did not throw");
}
