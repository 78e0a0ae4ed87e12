import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { switchUp } from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { Asking } from './asking.ts'
import { PAGE } from './load.ts'
import { configureAgent, startMachine } from './machine.ts'
import { provisioned } from './prepared.ts'
import { AgentClock } from './set-clock.ts'
import { testProgram } from './test-program.ts'

interface Seen {
  order?: 'passed' | 'limited'
  failed?: string
  suggested?: string
  done?: string
  ready?: true
}

/** A front of pebble that sees, and can refuse, what the authority is asked. */
class AcmeFront {
  readonly directory_url: string
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  #seen: Seen[] = []
  #last = 0
  #waiting: ((seen: Seen) => void) | undefined

  private constructor(child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>, listen: string) {
    this.#child = child
    this.directory_url = `https://${listen}/dir`
  }

  /** After `startAcme`. */
  static async start(): Promise<AcmeFront> {
    const { netns, address, folder } = await switchUp()
    const listen = `${address}:14001`
    const file = (name: string) => join(folder, 'acme', name)
    const files = ['ca.pem', 'directory.pem', 'directory.key'].map(file)
    const program = join(import.meta.dir, '../acme/front-program.ts')
    const argv = ['ip', 'netns', 'exec', netns, process.execPath, program, listen]
    const child = Bun.spawn([...argv, `https://${address}:14000`, ...files], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const front = new AcmeFront(child, listen)
    const ready = front.#next()
    void front.#read()
    await ready
    return front
  }

  async #read(): Promise<void> {
    const input = Readable.fromWeb(this.#child.stdout as never)
    for await (const line of createInterface({ input })) {
      const seen = JSON.parse(line) as Seen
      this.#last = Date.now()
      if (seen.done || seen.ready) this.#waiting?.(seen)
      else this.#seen.push(seen)
    }
  }

  #next(): Promise<Seen> {
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  async #say(line: string): Promise<void> {
    const done = this.#next()
    this.#child.stdin.write(`${line}\n`)
    await this.#child.stdin.flush()
    await done
  }

  /** Orders are refused with this Retry-After; without one they pass. */
  limit = (retry_after?: string) => this.#say(`limit ${retry_after ?? ''}`.trim())
  /** When the present certificate should be renewed (RFC 9773); without times it suggests none. */
  suggest = (...times: [] | [from: number, to: number]) =>
    this.#say(['suggest', ...times.map((time) => new Date(time).toISOString())].join(' '))
  /** Nobody listens. */
  down = () => this.#say('down')
  up = () => this.#say('up')

  /** What it saw since the last call: orders, names whose validation failed, and questions. */
  take(): { orders: string[]; failed: string[]; suggested: string[] } {
    const seen = this.#seen
    this.#seen = []
    return {
      orders: seen.flatMap(({ order }) => order ?? []),
      failed: seen.flatMap(({ failed }) => failed ?? []),
      suggested: seen.flatMap(({ suggested }) => suggested ?? []),
    }
  }

  get quiet_ms(): number {
    return Date.now() - this.#last
  }

  async stop(): Promise<void> {
    this.#child.stdin.end()
    await this.#child.exited
  }
}

export const MINUTES = 60_000
export const HOUR_MS = 60 * MINUTES
const SOURCE = 'tests/support/system/clocked-agent.ts'
const STATE = '/var/lib/hosting-agent'
const CA = '/etc/hosting-agent/acme-ca.pem'
/** What the agent knows of the certificates of an authority. */
const KNOWN = ['certificate-orders.json', 'renewal-times.json']

export const DOMAIN = 'cert.example.test'
const ALIASES = ['one.example.test', 'two.example.test', 'dead.example.test']
export const NAMES = [DOMAIN, `www.${DOMAIN}`, ...ALIASES].sort()
const USER = 'cert1a2b3c'
const EMAIL = 'ops@example.test'
const CERTIFICATE = `/etc/hosting/tls/${DOMAIN}/fullchain.pem`

export interface Failed {
  name: string
  /** By the clock of the agent. */
  at: number
}

/** A site with three aliases, an authority that fails on request, and an agent whose clock is set. */
export class FailingAuthority {
  readonly host: lab.Host
  readonly clock: AgentClock
  /** What a visitor believes: the roots of the present authority and of the former one. */
  readonly roots: string
  #root = ''
  #acme: Acme | undefined
  #front: AcmeFront | undefined

  private constructor(host: lab.Host, roots: string) {
    this.host = host
    this.clock = new AgentClock(host)
    this.roots = roots
  }

  static async start(suite: Suite, validity_s: number): Promise<FailingAuthority> {
    const program = await testProgram(SOURCE)
    const roots = join((await lab.switchUp()).folder, 'roots.pem')
    const machine = { name: 'certificates', suite, init: 'systemd' } as const
    const image = await provisioned(suite)
    const mirror = await wordpressMirror()
    const host = await startMachine({ ...machine, image }, { program, mirror })
    const world = new FailingAuthority(host, roots)
    await world.openAuthority(validity_s)
    await configureAgent(host, {
      AGENT_ACME_DIRECTORY: world.front.directory_url,
      AGENT_ACME_CA_FILE: CA,
    })
    const { php } = suites[suite]
    const site = { domain: DOMAIN, php, tier: 'small', tls: 'none', email: EMAIL }
    await world.#run('site.create', { ...site, user: USER })
    await world.#run('site.domains', { domain: DOMAIN, aliases: ALIASES })
    await host.put(`/srv/www/${USER}/public/answer.php`, PAGE)
    return world
  }

  get front(): AcmeFront {
    if (!this.#front) throw new Error('the authority did not start')
    return this.#front
  }

  /**
   * Another authority at the same address, whose certificates last so long: the agent must not take
   * those of the former one for its own. All names lead to the server.
   */
  async openAuthority(validity_s: number): Promise<void> {
    await this.#closeAuthority()
    this.#acme = await startAcme({ validity_s })
    this.#front = await AcmeFront.start()
    await this.host.put(CA, this.#acme.ca_pem)
    await this.host.must(['rm', '-f', ...KNOWN.map((name) => `${STATE}/${name}`)])
    const root = await this.#acme.issuing_root()
    writeFileSync(this.roots, `${root}${this.#root}`)
    this.#root = root
    await this.lead(NAMES)
  }

  async #closeAuthority(): Promise<void> {
    await this.#front?.stop()
    await this.#acme?.stop()
  }

  async stop(): Promise<void> {
    await this.#closeAuthority()
    await lab.switchDown()
  }

  async lead(names: readonly string[], address = this.host.address): Promise<void> {
    await Promise.all(names.map((name) => this.#acme?.resolve(name, address)))
  }

  async #run(command: string, params: object): Promise<void> {
    const last = (await Asking.plainly(this.host).start(command, params).ended).at(-1)
    if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last)}`)
  }

  /** Requests the certificate at once; also if the authority refuses it, the operation succeeds. */
  issue(): Promise<void> {
    return this.#run('tls.issue', { domain: DOMAIN, tls: 'letsencrypt', email: EMAIL })
  }

  /** The recorded attempts, by name. */
  async tries(): Promise<Record<string, { reason: string; next_at: string }>> {
    const { stdout } = await this.host.exec(['cat', `${STATE}/certificate-tries.json`])
    return stdout === '' ? {} : JSON.parse(stdout)
  }

  certificate(): Promise<string> {
    return this.host.must(['cat', CERTIFICATE])
  }

  /** The names in the certificate. */
  async certified(): Promise<string[]> {
    const argv = ['openssl', 'x509', '-noout', '-ext', 'subjectAltName', '-in', CERTIFICATE]
    const names = (await this.host.must(argv)).matchAll(/DNS:([^,\s]+)/g)
    return [...names].map(([, name = '']) => name).sort()
  }

  /** Whether an operation of the agent runs, or waits for another one. */
  async #works(): Promise<boolean> {
    const unended = 'for each in *; do [ -e "$each/ended.ndjson" ] || echo "$each"; done'
    const argv = ['bash', '-c', `cd ${STATE}/operations && ${unended}`]
    return (await this.host.must(argv)) !== ''
  }

  /** No attempt is due or running: those that were have ended, however slow the machine is. */
  async #settled(): Promise<void> {
    const isDue = ({ next_at }: { next_at: string }) => Date.parse(next_at) <= this.clock.now
    const settled = async () =>
      this.front.quiet_ms > 400 &&
      !Object.values(await this.tries()).some(isDue) &&
      !(await this.#works())
    await Bun.sleep(200)
    if (await lab.polled(settled, { every_ms: 50, timeout_ms: MINUTES })) return
    throw new Error(`an attempt does not end: ${JSON.stringify(await this.tries())}`)
  }

  /** The time of the agent passes in steps, each after its requests have ended. */
  async pass(ms: number, { step_ms = 10 * MINUTES, until = async () => false } = {}) {
    const failed: Failed[] = []
    const orders: string[] = []
    const suggested: string[] = []
    const end = this.clock.now + ms
    const collect = () => {
      const seen = this.front.take()
      orders.push(...seen.orders)
      suggested.push(...seen.suggested)
      failed.push(...this.dated(seen.failed))
    }
    while (this.clock.now < end && !(await until())) {
      await this.clock.advance(step_ms)
      await this.#settled()
      collect()
    }
    // A request may have been waiting for the authority before the first step.
    collect()
    return { failed, orders, suggested }
  }

  dated(names: readonly string[]): Failed[] {
    return names.map((name) => ({ name, at: this.clock.now }))
  }
}

/** The highest number of failed validations of one name within an hour. */
export function worstHour(failed: readonly Failed[]): number {
  const within = (one: Failed) =>
    failed.filter(({ name, at }) => name === one.name && at >= one.at && at < one.at + HOUR_MS)
  return Math.max(0, ...failed.map((one) => within(one).length))
}
