import type { Background } from '#tests/support/lab/background.ts'
import { poll } from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { endOf } from './dashboard.ts'
import { type Enrolled, startEnrolled, startWithShop } from './enrolled.ts'
import type { Site } from './world.ts'

export type Tenant = Site & { password: string; prefix: string }

interface Found {
  framework: string
  updates: unknown
}

/** The world of a site whose files and tables attack the agent that reads them. */
export interface Attack {
  readonly tenants: Tenants
  readonly evil: Tenant
  readonly victim: Tenant
}

/** Status and milliseconds of each answer. */
const ASK_HEALTH = `for (;;) {
  $start = hrtime(true);
  $socket = stream_socket_client('unix:///run/hosting-agent/root.sock', $code, $reason, 60);
  fwrite($socket, "GET /health HTTP/1.1\\r\\nHost: agent\\r\\nConnection: close\\r\\n\\r\\n");
  $answer = stream_get_contents($socket);
  echo (explode(' ', $answer)[1] ?? 'none') . ' ' . ((hrtime(true) - $start) / 1e6) . "\\n";
  usleep(10000);
}`

/** An installed agent with two sites: `evil`, whose owner attacks, and `victim`. */
export class Tenants {
  readonly world: Enrolled
  readonly suite: Suite

  private constructor(world: Enrolled, suite: Suite) {
    this.world = world
    this.suite = suite
  }

  /** Without sites. */
  static async start(suite: Suite): Promise<Tenants> {
    return new Tenants(await startEnrolled(suite), suite)
  }

  static async startWithShop(suite: Suite): Promise<{ tenants: Tenants; shop: Tenant }> {
    const { world, shop } = await startWithShop(suite)
    const tenants = new Tenants(world, suite)
    return { tenants, shop: await tenants.#tenant(shop) }
  }

  get host() {
    return this.world.host
  }

  async create(domain: string): Promise<Tenant> {
    const { dashboard, path } = this.world
    const body = { domain, php: suites[this.suite].php, tls: 'none' }
    const created = await dashboard.call('POST', path('/sites'), body)
    const last = await endOf(dashboard, created)
    if (last.event !== 'complete') throw new Error(JSON.stringify(last.data))
    await this.sync()
    const { id } = created.body.site as { id: number }
    const { body: found } = await dashboard.call('GET', path(`/sites/${id}`))
    return this.#tenant(found.site as Site)
  }

  async #tenant(site: Site): Promise<Tenant> {
    const config = await this.host.must(['cat', `${site.docroot}/wp-config.php`])
    const prefix = /\$table_prefix\s*=\s*'(\w+)'/.exec(config)?.[1] ?? ''
    return { ...site, prefix, password: await this.password(site) }
  }

  async password({ id }: { id: number }): Promise<string> {
    const { dashboard, path } = this.world
    const { body } = await dashboard.call('POST', path(`/sites/${id}/db-password`))
    return String(body.password ?? '')
  }

  /** The milliseconds of a sync. */
  async sync(): Promise<number> {
    const start = performance.now()
    const events = await this.world.dashboard.stream('POST', this.world.path('/sync'))
    if (events.at(-1)?.event !== 'complete') throw new Error(JSON.stringify(events.at(-1)))
    return performance.now() - start
  }

  async found({ id }: { id: number }): Promise<Found> {
    const { body } = await this.world.dashboard.call('GET', `/api/fleet/sites/${id}`)
    const { framework, updates } = body.site as Found
    return { framework, updates }
  }

  /** Lines and inventory of a scan. */
  async scan({ id }: { id: number }) {
    const { dashboard, path } = this.world
    const events = await dashboard.stream('POST', path('/wp-scan'), { site_id: id })
    const { body } = await dashboard.call('GET', `/api/fleet/sites/${id}`)
    const { inventory } = body.site as {
      inventory: Record<'plugins' | 'themes', { slug: string; active: unknown }[]>
    }
    return { last: events.at(-1), log: JSON.stringify(events), inventory }
  }

  /** Runs a script as the site's user. */
  as({ user, docroot }: Tenant, script: string): Promise<string> {
    const drop = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']
    return this.host.must([...drop, 'env', '--chdir', docroot, 'bash', '-euc', script])
  }

  asInBackground({ user, docroot }: Tenant, argv: readonly string[]): Background {
    const drop = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']
    return this.host.spawn([...drop, 'env', '--chdir', docroot, ...argv])
  }

  /** Runs SQL as root, or as the account of a site. */
  async sql(input: string, tenant?: Tenant): Promise<string> {
    const account = tenant ? [`--user=${tenant.user}`, `--password=${tenant.password}`] : []
    const argv = ['mariadb', '--batch', '--skip-column-names', ...account]
    return (await this.host.must([...argv, ...(tenant ? [tenant.user] : [])], { input })).trim()
  }

  /** Runs `work` with other wp-config.php values. */
  async configured<T>(
    { docroot, user }: Tenant,
    values: Record<string, string>,
    work: () => Promise<T>,
  ): Promise<T> {
    const path = `${docroot}/wp-config.php`
    const before = await this.host.must(['cat', path])
    let text = before
    for (const [name, value] of Object.entries(values)) {
      const line = name.startsWith('$') ? `${name} = '${value}';` : `define('${name}', '${value}');`
      const known = new RegExp(
        name.startsWith('$') ? `^\\${name}\\b.*$` : `^define\\(\\s*'${name}'.*$`,
        'm',
      )
      text = known.test(text)
        ? text.replace(known, () => line)
        : text.replace('<?php', `<?php\n${line}`)
    }
    const write = async (content: string) => {
      await this.host.must(['rm', '-f', path])
      await this.host.put(path, content, 0o600)
      await this.host.must(['chown', `${user}:${user}`, path])
    }
    await write(text)
    return work().finally(() => write(before))
  }

  /** Polls the health of the working half of the agent while `work` runs. */
  async withHealth<T>(
    work: () => Promise<T>,
  ): Promise<{ value: T; worst_ms: number; bad: string[] }> {
    const asking = this.host.spawn(['php', '-r', ASK_HEALTH])
    await poll(() => asking.output().includes('\n'))
    const value = await work().finally(() => asking.stop('SIGKILL'))
    // The last line may be cut off at the program's end.
    const answers = asking.output().split('\n').slice(0, -1)
    const times = answers.map((line) => Number(line.split(' ')[1]))
    const bad = answers.filter((line) => !line.startsWith('200 '))
    return { value, worst_ms: Math.max(...times), bad }
  }

  stop(): Promise<void> {
    return this.world.stop()
  }
}
