import "reflect-metadata";
import { type DependencyContainer, type InjectionToken, container as processContainer } from "tsyringe";
import type { Awaitable } from "../types.js";

/**
 * A scope of services: one root for each host, a child for each run and worker. A child sees what its parents hold.
 * Containers resolve synchronously, so what is made asynchronously is awaited first and registered as an instance.
 */
export class HostContainer {
  private constructor(private readonly scope: DependencyContainer) {}

  /** A root of its own. The process-wide container of tsyringe stays empty, so hosts never share anything. */
  static root(): HostContainer {
    return new HostContainer(processContainer.createChildContainer());
  }

  child(): HostContainer {
    return new HostContainer(this.scope.createChildContainer());
  }

  set<T>(token: symbol, instance: T): this {
    this.scope.registerInstance(token, instance);
    return this;
  }

  /** Awaits a factory and keeps what it made. */
  async provide<T>(token: symbol, factory: () => Awaitable<T>): Promise<T> {
    const instance = await factory();
    this.set(token, instance);
    return instance;
  }

  has(token: symbol): boolean {
    return this.scope.isRegistered(token, true);
  }

  get<T>(token: symbol): T {
    return this.scope.resolve<T>(token);
  }

  /** Makes an object of an `@injectable()` class from what this scope holds. */
  construct<T>(type: InjectionToken<T>): T {
    return this.scope.resolve(type);
  }

  async dispose(): Promise<void> {
    await this.scope.dispose();
  }
}
