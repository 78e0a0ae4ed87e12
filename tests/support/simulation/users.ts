import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { Deps } from '#dashboard/deps.ts'
import { createSite } from '#dashboard/features/sites/create-site.ts'
import { removeSite } from '#dashboard/features/sites/remove-site.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { TIERS } from '#shared/kernel/values.ts'
import { CreateSite } from '#shared/sites/api/sites.ts'
import { Follower } from './follower.ts'
import type { World } from './world.ts'
import { domainOf, LABELS } from './writers.ts'

type Tier = (typeof TIERS)[number]

const USER = { id: 1, email: 'ann@control.example', name: 'Ann' }

type Kind = 'create' | 'update' | 'delete' | 'restore' | 'purge'
const KINDS: readonly [Kind, ...Kind[]] = [
  ...(['create', 'create', 'create', 'update', 'update'] as const),
  ...(['delete', 'delete', 'delete', 'restore', 'restore', 'purge'] as const),
]
/** The requested operation has started, or was only planned. */
type Answer = { operation_id: string } | { plan: object }

/** The dashboard's users: they send requests, repeat some, and watch. */
export class Users {
  readonly followers: Follower[] = []
  readonly #world: World
  readonly #dice: Dice

  constructor(world: World) {
    this.#world = world
    this.#dice = world.dice.fork()
  }

  /** Sends a random request; an impatient user sends it twice. */
  act(): void {
    const kind = this.#dice.pick(KINDS)
    const times = this.#dice.chance(0.15) ? 2 : 1
    for (let time = 0; time < times; time++) void this.#ask(kind)
  }

  async #ask(kind: Kind): Promise<void> {
    if (kind === 'create') return this.#create()
    const sites = await this.#world.sites()
    const site = sites[this.#dice.below(Math.max(1, sites.length))]
    if (!site) return this.#create()
    return kind === 'update' ? this.#update(site.id) : this.#move(kind, site)
  }

  #create(): Promise<void> {
    const server_id = 1 + this.#dice.below(this.#world.agents.length)
    const domain = domainOf(this.#dice.pick(LABELS))
    const { php, tier } = this.#shape()
    const input = CreateSite.parse({ domain, php, tier, tls: 'none' })
    return this.#tell(`create ${domain} on ${server_id}`, async (deps) =>
      createSite(deps, await getServer(deps.db, server_id), input, USER),
    )
  }

  #update(site_id: number): Promise<void> {
    const { php, tier } = this.#shape()
    const change = this.#dice.pick<{ php?: string; tier?: Tier }>([
      { php },
      { tier },
      { php, tier },
    ])
    const waits = this.#dice.chance(0.5)
    return this.#tell(`update ${site_id} ${JSON.stringify(change)}`, async (deps) => {
      const { server, site } = await this.#find(deps, site_id)
      if (site.status !== 'active') throw new ServiceError('conflict', { message: 'not active' })
      return startOperation(deps, 'site.update', { server, site, actor: USER.id }, change, {
        waits,
      })
    })
  }

  #move(kind: 'delete' | 'restore' | 'purge', { id }: SiteRow): Promise<void> {
    const waits = this.#dice.chance(0.5)
    return this.#tell(`${kind} ${id}`, async (deps) => {
      const { server, site } = await this.#find(deps, id)
      const place = { server, site, actor: USER.id }
      if (kind === 'delete') return removeSite(deps, place, { dry_run: false })
      return startOperation(deps, `site.${kind}`, place, {}, { waits })
    })
  }

  async #find(deps: Deps, site_id: number) {
    const found = (await this.#world.sites()).find(({ id }) => id === site_id)
    const server = await getServer(deps.db, found?.server_id ?? 0)
    return { server, site: await getSite(deps.db, server.id, site_id) }
  }

  async #tell(what: string, work: (deps: Deps) => Promise<Answer>): Promise<void> {
    const { dashboard, trace, broken } = this.#world
    try {
      const answer = await dashboard.call(work)
      const operation_id = ('operation_id' in answer && answer.operation_id) || ''
      trace('users', `${what}: ${operation_id.slice(0, 8)}`)
      if (this.#dice.chance(0.7)) this.#watch(operation_id)
    } catch (error) {
      if (error instanceof ServiceError) trace('users', `${what}: ${error.message}`)
      else broken(`${what} broke: ${error}`)
    }
  }

  #watch(operation_id: string): void {
    const follower = new Follower(this.#world, operation_id)
    this.followers.push(follower)
    void follower.follow()
  }

  #shape() {
    const php = this.#dice.pick(['8.2', '8.4'])
    const tier = this.#dice.pick(TIERS)
    return { php, tier }
  }
}
