import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { endOf } from './dashboard.ts'
import { World } from './world.ts'

export const SECRET = 'Zq8mW2xT7kLp4vNc'
const DOMAIN = 'logs.example.test'
const FAULTY = `<?php
/* Plugin Name: Faulty */
if (isset($_GET['fail'])) missing_function('${SECRET}');
if (isset($_GET['notice'])) trigger_error('a notice ' . $_GET['notice']);
if (isset($_GET['forbidden'])) exit(http_response_code(403));
if (isset($_GET['long'])) header('X-Long: ' . str_repeat('a', 200000));
if (isset($_GET['mail'])) exit(json_encode(mail($_GET['mail'], 'A subject', str_repeat("A line\\n", 40000))));
if (isset($_GET['sleep'])) sleep((int) $_GET['sleep']);
if (defined('WP_CLI')) fwrite(STDERR, "the job says password=${SECRET}\\n");
`

interface Line {
  at: string | null
  level: string
  status: number | null
  text: string
}
export type LogNews = { kind: 'line'; line: Line } | { kind: 'left_out'; lines: number }

/** A site on a real server, with a plugin that fails and whose job prints a secret. */
export class LoggedSite {
  readonly world: World
  readonly php: string
  user = ''
  /** Its path in the API. */
  at = ''

  constructor(suite: Suite) {
    this.php = suites[suite].php
    this.world = new World({
      ...{ name: 'logs', suite, init: 'systemd', php: this.php, image: 'provisioned' },
    })
  }

  async start(): Promise<void> {
    const { world, php } = this
    await world.start()
    const { dashboard, host } = world
    await world.register()
    const php_versions = [php]
    const ready = await dashboard.stream('POST', world.path('/provision'), { php_versions })
    if (ready.at(-1)?.event !== 'complete') throw new Error(JSON.stringify(ready.at(-1)))
    const input = { domain: DOMAIN, php, tls: 'none' }
    const created = await dashboard.call('POST', world.path('/sites'), input)
    await endOf(dashboard, created)
    const { id } = created.body.site as { id: number }
    this.user = (await this.bash('basename /srv/www/[a-z]*')).trim()
    this.at = world.path(`/sites/${id}/logs`)
    const folder = `/srv/www/${this.user}/public/wp-content/mu-plugins`
    await host.must(['mkdir', folder])
    await host.put(`${folder}/faulty.php`, FAULTY)
    await this.bash(`chown -R ${this.user}:www-data ${folder}`)
  }

  bash(text: string): Promise<string> {
    return this.world.host.must(['bash', '-c', text])
  }

  page(path: string): Promise<string> {
    return lab.must([
      ...['ip', 'netns', 'exec', this.world.host.netns, 'curl', '-s'],
      ...['-H', `Host: ${DOMAIN}`, `http://127.0.0.1${path}`],
    ])
  }

  visit(path: string, referrer = '-'): Promise<string> {
    return lab.must([
      ...['ip', 'netns', 'exec', this.world.host.netns, 'curl', '-s', '-o', '/dev/null'],
      ...['-e', referrer, '-H', `Host: ${DOMAIN}`, `http://127.0.0.1${path}`],
    ])
  }

  /** Sends logins with a wrong password, and returns the number that nginx refused. */
  async refusedLogins(count: number): Promise<number> {
    const login = [
      ...['ip', 'netns', 'exec', this.world.host.netns, 'curl', '-s', '-o', '/dev/null'],
      ...['-w', '%{http_code}', '-d', 'log=admin&pwd=wrong', '-H', `Host: ${DOMAIN}`],
      'http://127.0.0.1/wp-login.php',
    ]
    let refused = 0
    for (let sent = 0; sent < count; sent++) if ((await lab.must(login)) === '429') refused += 1
    return refused
  }

  /** 5 seconds with 10,000 lines each, ten times a second. */
  flood(log: string): Promise<string> {
    const line = `203.0.113.7 - - [01/Jan/2026:09:30:00 +0000] "GET /flood HTTP/1.1" 200 5 "-" "-"`
    return this.bash(`yes '${line}' | head -n 1000 > /root/part
      for second in 1 2 3 4 5; do for part in 1 2 3 4 5 6 7 8 9 10; do
        cat /root/part >> ${log}; sleep 0.09; done; done`)
  }

  async search(query: string): Promise<Line[]> {
    const { status, body } = await this.world.dashboard.call('GET', `${this.at}/lines?${query}`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.lines as Line[]
  }

  /** Waits for a log that is written soon. */
  async found(query: string, wanted = 1): Promise<boolean> {
    const isThere = async () => (await this.search(query)).length >= wanted
    return (await lab.polled(isThere, { timeout_ms: 20_000 })) ?? false
  }

  /** The programs that read logs now. */
  async readers(): Promise<string> {
    return (await this.world.host.exec(['pgrep', '-f', 'hosting-agent logs'])).stdout
  }
}
