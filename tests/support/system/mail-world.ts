import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { type Background, background } from '#tests/support/lab/background.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import type { Certified } from '#tests/support/mail/certificates.ts'
import type { Received } from '#tests/support/mail/relay.ts'
import { Asking } from './asking.ts'
import { startMachine } from './machine.ts'
import { packaged } from './packaged.ts'

export const PROGRAM = '/usr/local/bin/hosting-agent'
export const PORT = 2525
export const SHOP = { domain: 'shop.example.test', user: 'shop1a2b3c' }
export const BLOG = { domain: 'blog.example.test', user: 'blog1a2b3c' }
export const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
export const PASSWORD = 'right'

/** Sends by `mail()`, or by WordPress's `wp_mail()`, and prints whether it worked. */
export const SEND = `<?php
[$to, $subject] = [$_GET['to'], $_GET['subject']];
if (isset($_GET['wp'])) {
  require __DIR__ . '/wp-load.php';
  exit(json_encode(wp_mail($to, $subject, "A line\\n.\\nand the last")));
}
echo json_encode(mail($to, $subject, "A line\\n.\\nand the last", 'From: Shop <shop@shop.example.test>'));
`

const SETTINGS = `AGENT_LISTEN=127.0.0.1:8443
AGENT_WORDPRESS_URL=file:///srv/mirror
AGENT_WP_CLI_URL=file:///srv/mirror/wp-cli.phar
AGENT_MAIL_RETRIES=1
`

interface Place {
  port: number
}

/** A server with the agent in its sandbox, two sites, and a real relay in its network. */
export class MailWorld {
  readonly host: lab.Host
  readonly agent: Asking
  readonly folder = mkdtempSync(join(tmpdir(), 'relay-'))
  readonly #relays: Background[] = []

  private constructor(host: lab.Host, agent: Asking) {
    this.host = host
    this.agent = agent
  }

  /** Without systemd, as an agent started by hand. */
  static async startDirectly(suite: Suite): Promise<MailWorld> {
    const { file: program } = await buildAgent('.')
    const options = { name: `mail-${suite}`, suite, init: 'none' } as const
    const mirror = await wordpressMirror()
    const host = await startMachine(
      { ...options, image: await packaged(suite) },
      { program, mirror },
    )
    const world = new MailWorld(host, Asking.plainly(host))
    await world.createSites(suite)
    return world
  }

  static async start(suite: Suite): Promise<MailWorld> {
    const { file } = await buildAgent('.')
    const host = await lab.startHost({
      ...{ name: `mail-${suite}`, suite, init: 'systemd', image: await packaged(suite) },
      binds: [{ from: await wordpressMirror(), to: '/srv/mirror', readonly: true }],
    })
    const world = new MailWorld(host, await installed(host, file))
    await world.createSites(suite)
    return world
  }

  /** After an uninstall. */
  async installAgain(): Promise<Asking> {
    const { file } = await buildAgent('.')
    return installed(this.host, file)
  }

  private async createSites(suite: Suite): Promise<void> {
    const { php } = suites[suite]
    for (const site of [SHOP, BLOG]) {
      const more = { php, tier: 'small', tls: 'none', email: 'owner@example.org' }
      await this.done('site.create', { ...site, ...more })
    }
  }

  /** The data of the `complete` event; throws the failure otherwise. */
  async done(command: string, params: object): Promise<Record<string, unknown>> {
    const events = await this.agent.start(command, params).ended
    const last = events.at(-1)
    if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last?.data)}`)
    return last.data
  }

  /** A certificate requires STARTTLS. */
  async startRelay({ port = PORT, ...certified }: Partial<Certified & Place> = {}): Promise<void> {
    const { key = '', cert = '' } = certified
    if (key !== '') writeFileSync(join(this.folder, `tls-${port}`), JSON.stringify({ key, cert }))
    const program = join(import.meta.dir, 'smtp-relay.ts')
    const argv = ['ip', 'netns', 'exec', this.host.netns, process.execPath, program]
    const relay = background([...argv, String(port), this.folder], { PATH: process.env.PATH ?? '' })
    this.#relays.push(relay)
    const ready = await lab.polled(() => relay.output().includes('listening'))
    if (!ready) throw new Error(`The relay did not start: ${relay.output()}`)
  }

  /** All relays. */
  async stopRelay(): Promise<void> {
    await Promise.all(this.#relays.splice(0).map((relay) => relay.stop('SIGKILL')))
  }

  switch(name: 'later' | 'hold', on: boolean): void {
    const path = join(this.folder, name)
    if (on) writeFileSync(path, '')
    else rmSync(path, { force: true })
  }

  get received(): Received[] {
    try {
      const lines = readFileSync(join(this.folder, 'received'), 'utf8').split('\n')
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    } catch {
      return []
    }
  }

  /** The subjects of the relay's messages, sorted. */
  get subjects(): string[] {
    return this.received.map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1] ?? '').sort()
  }

  async status(user = SHOP.user) {
    const path = `/var/lib/hosting-mail/status/${user}.json`
    const { stdout } = await this.host.exec(['cat', path])
    return stdout === '' ? undefined : JSON.parse(stdout).shown
  }

  async until(what: string, state: () => Promise<boolean> | boolean): Promise<void> {
    if (await lab.polled(state, { every_ms: 200 })) return
    const unit = ['journalctl', '--no-pager', '-n', '20', '-u', 'hosting-agent-mail.service']
    const { stdout } = await this.host.exec(unit)
    const facts = [this.subjects, await this.status(), stdout]
    throw new Error(`Not so after 90 seconds: ${what}\n${JSON.stringify(facts, null, 1)}`)
  }

  /** Writes a file as the site's own PHP would. */
  async plant({ user }: typeof SHOP, path: string, text: string): Promise<void> {
    const full = `/srv/www/${user}/public/${path}`
    await this.host.put(full, text)
    await this.host.must(['chown', `${user}:www-data`, full])
  }

  async stop(): Promise<void> {
    await this.stopRelay()
    await lab.switchDown()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function installed(host: lab.Host, file: string): Promise<Asking> {
  await host.put(PROGRAM, await Bun.file(file).bytes(), 0o755)
  await host.put('/etc/hosting-agent/agent.env', SETTINGS, 0o600)
  const agent = await Asking.signed(host)
  await host.must([PROGRAM, 'install'])
  const answers = async () =>
    (await agent.call('/nowhere', {}).catch(() => '')).includes('Not found')
  await lab.poll(answers)
  return agent
}
