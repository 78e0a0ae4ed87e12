import type { Suite } from '#tests/support/lab/suites.ts'
import { AccessWorld } from './access-world.ts'
import { PasswordClient } from './password-client.ts'
import type { Tenant } from './tenants.ts'

interface Login {
  token: string
  login: string
  password: string
}

/** Two sites and their client accounts. */
export class ClientWorld {
  readonly access: AccessWorld
  readonly client: PasswordClient

  private constructor(access: AccessWorld) {
    this.access = access
    this.client = new PasswordClient(access.host)
  }

  static async start(suite: Suite): Promise<ClientWorld> {
    return new ClientWorld(await AccessWorld.start(suite))
  }

  get host() {
    return this.access.host
  }
  get shop() {
    return this.access.shop
  }
  get victim() {
    return this.access.victim
  }

  call(site: Tenant, below: string, body: object) {
    const { dashboard, path } = this.access.tenants.world
    return dashboard.call('POST', path(`/sites/${site.id}/access/clients${below}`), body)
  }

  async create(site: Tenant, label: string, expires_at: string | null = null): Promise<Login> {
    return this.#login(await this.call(site, '', { label, expires_at }))
  }

  async reset(site: Tenant, token: string): Promise<Login> {
    return this.#login(await this.call(site, '/password', { token }))
  }

  async end(site: Tenant, token: string): Promise<number> {
    return (await this.call(site, '/end', { token })).status
  }

  #login({ status, body }: { status: number; body: object }): Login {
    if (status !== 200) throw new Error(`answered with ${status}: ${JSON.stringify(body)}`)
    return body as Login
  }

  /** Of the site's page. */
  async shown(site: Tenant) {
    const { dashboard, path } = this.access.tenants.world
    const { body } = await dashboard.call('GET', path(`/sites/${site.id}/access`))
    return Object(body.access)
  }

  /** The settings of sshd for sessions of others. */
  async others(): Promise<string[]> {
    const of = (user: string) =>
      this.host.must(['sshd', '-T', '-C', `user=${user},host=localhost,addr=127.0.0.1`])
    return [await of('root'), await of('nobody'), await of('www-data')]
  }

  /** A process of sshd runs as the user of the site. */
  async hasSession({ user }: Tenant): Promise<boolean> {
    return (await this.host.exec(['pgrep', '-u', user, 'sshd'])).code === 0
  }
}
