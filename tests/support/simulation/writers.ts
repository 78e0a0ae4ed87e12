import type { World } from './world.ts'

/** Labels of the domains: every path, user, database and unit of a site has one. */
export const LABELS = ['alpha', 'bravo', 'delta'] as const
export const domainOf = (label: string) => `${label}.example`

/** Detects two writers on a site: one changes it, then the other, and then the first again. */
export class Writers {
  readonly #world: World
  readonly #last = new Map<string, string>()
  readonly #former = new Map<string, Set<string>>()

  constructor(world: World) {
    this.#world = world
  }

  see(machine: string, what: string): void {
    const { scope } = this.#world.timeline
    if (!scope) return
    const label = LABELS.find((name) => what.includes(name))
    if (label === undefined) return
    this.#world.trace(scope.process.name, `${scope.operation.slice(0, 8)} ${what.slice(0, 100)}`)
    this.#wrote(`${label} on ${machine}`, `${scope.operation} of ${scope.process.name}`)
  }

  #wrote(site: string, writer: string): void {
    const last = this.#last.get(site)
    if (last === writer) return
    const former = this.#former.get(site) ?? new Set()
    this.#former.set(site, former)
    if (former.has(writer)) this.#world.broken(`Two writers on ${site}: ${writer} and ${last}`)
    if (last !== undefined) former.add(last)
    this.#last.set(site, writer)
  }
}
