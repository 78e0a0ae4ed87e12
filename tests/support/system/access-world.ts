import { cp } from 'node:fs/promises'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { SshClient } from './ssh-client.ts'
import { type Tenant, Tenants } from './tenants.ts'

/** Two sites, people with keys, and an administrator who logs in as root. */
export class AccessWorld {
  readonly tenants: Tenants
  readonly client: SshClient
  readonly shop: Tenant
  readonly victim: Tenant
  readonly #people = new Map<string, number>()

  private constructor(tenants: Tenants, client: SshClient, [shop, victim]: [Tenant, Tenant]) {
    this.tenants = tenants
    this.client = client
    this.shop = shop
    this.victim = victim
  }

  static async start(suite: Suite): Promise<AccessWorld> {
    const { tenants, shop } = await Tenants.startWithShop(suite)
    const { host } = tenants.world
    // With it, each login starts a systemd of its user.
    const folder = await morePackages(suite, ['libpam-systemd'])
    await cp(folder, `${host.root}/root/pam`, { recursive: true })
    await host.must(['bash', '-c', 'dpkg --install /root/pam/*.deb'])
    await host.must(['systemctl', 'restart', 'dbus', 'systemd-logind'])
    const client = new SshClient(host)
    const victim = await tenants.create('victim.example.test')
    await host.put('/root/.ssh/authorized_keys', `${await client.newKey('admin')}\n`, 0o600)
    // Debian 13 refuses an address for a while after some refused logins.
    if (suite === 'trixie')
      await host.put('/etc/ssh/sshd_config.d/10-local.conf', 'PerSourcePenalties no\n')
    await host.must(['systemctl', 'restart', 'ssh'])
    const world = new AccessWorld(tenants, client, [shop, victim])
    await world.#addPerson('anna')
    await world.#addPerson('ben', 'rsa')
    return world
  }

  get host() {
    return this.tenants.host
  }

  /** The last event. */
  async set(site: Tenant, grants: object[]) {
    const path = this.tenants.world.path(`/sites/${site.id}/access`)
    return this.#end('PUT', path, { grants })
  }

  /** The answer, for a call that is refused. */
  call(site: Tenant, grants: object[]) {
    const { dashboard, path } = this.tenants.world
    return dashboard.call('PUT', path(`/sites/${site.id}/access`), { grants })
  }

  shell(name: string) {
    return { ...this.grant(name), kind: 'shell' }
  }

  grant(name: string, expires_at: string | null = null) {
    return { person_id: this.#people.get(name), expires_at }
  }

  /** A call of the site; the last event of its operation. */
  async run(method: string, site: Tenant, below: string) {
    const { dashboard, path } = this.tenants.world
    const answer = await dashboard.call(method, path(`/sites/${site.id}${below}`))
    const id = answer.headers.get('operation-id')
    const events = await dashboard.stream('GET', `/api/operations/${id}/events`)
    return events.at(-1)?.event
  }

  async rootLogsIn(): Promise<string> {
    return (await this.client.ssh('admin', 'root', ['id', '-un'])).text.trim()
  }

  /** The status of a login by SFTP that only asks for its folder; 255: refused. */
  async logsIn(person: string, user: string): Promise<number> {
    return (await this.client.sftp(person, user, ['pwd'])).code
  }

  stop(): Promise<void> {
    return this.tenants.world.stop()
  }

  async #end(method: string, path: string, body: object) {
    const events = await this.tenants.world.dashboard.stream(method, path, body)
    return { event: events.at(-1)?.event, ...Object(events.at(-1)?.data) }
  }

  async #addPerson(name: string, type?: string): Promise<void> {
    const { dashboard } = this.tenants.world
    const { body } = await dashboard.call('POST', '/api/people', { name })
    const { id } = body.person as { id: number }
    const key = await this.client.newKey(name, type)
    const { status } = await dashboard.call('POST', `/api/people/${id}/keys`, { key })
    if (status !== 201) throw new Error(`the key of ${name} was answered with ${status}`)
    this.#people.set(name, id)
  }
}
