import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { startMachine } from './machine.ts'
import { packaged } from './packaged.ts'
import { provisioned } from './prepared.ts'
import type { Snapshot } from './snapshot.ts'

const IMAGES = { packaged, provisioned }

export interface Variant {
  name: string
  suite: 'bookworm' | 'trixie'
  init: 'systemd' | 'none'
  /** The suite's PHP. */
  php: string
  /** What exists at the start; other tests cover the installation. Default: nothing. */
  image?: keyof typeof IMAGES
}

export interface Site {
  id: number
  domain: string
  user: string
  docroot: string
}

/** One fresh server with the agent on it, and a dashboard that manages it. */
export class World {
  readonly variant: Variant
  readonly sites: Site[] = []
  /** Secrets shown once; they must not be stored. */
  readonly secrets: string[] = []
  server = 0
  before: Snapshot | undefined
  #host: lab.Host | undefined
  #dashboard: Dashboard | undefined

  constructor(variant: Variant) {
    this.variant = variant
  }

  get host(): lab.Host {
    if (!this.#host) throw new Error('the server did not start')
    return this.#host
  }

  get dashboard(): Dashboard {
    if (!this.#dashboard) throw new Error('the dashboard did not start')
    return this.#dashboard
  }

  get site(): Site {
    const [site] = this.sites
    if (!site) throw new Error('no site was created')
    return site
  }

  /** `given`: another program of an agent than the one of this version. */
  async start(given?: string): Promise<void> {
    const program = given ?? (await buildAgent('.')).file
    const mirror = await wordpressMirror()
    const { image: given_image, ...machine } = this.variant
    const image = given_image && { image: await IMAGES[given_image](machine.suite) }
    this.#host = await startMachine({ ...machine, ...image }, { program, mirror })
    this.#dashboard = await startDashboard(this.#host.netns)
  }

  /** Replaces the dashboard by a new one without records. */
  async startAnotherDashboard(): Promise<void> {
    await this.#dashboard?.stop()
    this.#dashboard = await startDashboard(this.host.netns)
  }

  async register(): Promise<void> {
    const input = { hostname: '127.0.0.1', name: this.variant.name }
    const { body } = await this.dashboard.call('POST', '/api/servers', input)
    this.server = (body.server as { id: number }).id
  }

  /** The data of the last event. */
  async sync(): Promise<Record<string, unknown> | undefined> {
    const events = await this.dashboard.stream('POST', `/api/servers/${this.server}/sync`)
    return events.at(-1)?.data
  }

  /** An API path below the server. */
  path(below: string): string {
    return `/api/servers/${this.server}${below}`
  }

  async stop(): Promise<void> {
    await this.#dashboard?.stop()
    await lab.switchDown()
  }
}

export const MINUTES = 60_000
