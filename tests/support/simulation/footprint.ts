import { serverProvision } from '#agent/features/servers/server.provision.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { type Node, textOf } from '#agent/kernel/host/simulated/nodes.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { hostOn, OPEN } from './host.ts'
import { bareMachine, Machine } from './machine.ts'
import { Timeline } from './timeline.ts'

const ACCOUNTS = ['/etc/passwd', '/etc/group', '/etc/shadow']
/** Files of operations and logs of programs: no part of a site. */
const BESIDE = /^\/var\/(lib\/hosting-agent\/operations|log)\//
/** Contains passwords, keys, times or process ids, which differ each time. */
const SECRET = /(wp-config\.php|facts\.json|cgroup\.procs)$/

/** All things of a site on a machine, sorted; its user's name is replaced. */
export function footprint(machine: Machine, label: string, user = ''): string[] {
  const { disk, databases, mariadb, served } = machine
  const known = [
    ...[...disk.walk()].flatMap(([path, node]) => linesOf(path, node, label)),
    ...[...databases].map(([name, filled]) => `database ${name} ${filled}`),
    ...[...mariadb.accounts].map(([name, of]) => `account ${name} ${JSON.stringify(of)}`),
    ...[...served].map(([path, text]) => `serves ${path} ${text}`),
  ]
  const found = known.filter((line) => line.includes(label))
  const neutral = (line: string) =>
    line
      .replaceAll(user, 'USER')
      .replaceAll(/[0-9a-f]{32}(?=(\/mail)?\.sock)/g, 'SOCKET')
      .replaceAll(/[0-9a-f]{32}(?=\.paused)/g, 'PAUSED')
      .replaceAll(/(USER:x):\d+(:\d+)?/g, '$1:ID')
  return found.map((line) => (user === '' ? line : neutral(line))).sort()
}

function linesOf(path: string, node: Node, label: string): string[] {
  if (BESIDE.test(path) || 'implied' in node) return []
  const text = contentOf(node)
  if (ACCOUNTS.includes(path)) return text.split('\n')
  return path.includes(label) ? [`${node.kind} ${path} ${SECRET.test(path) ? '' : text}`] : []
}

function contentOf(node: Node): string {
  if (node.kind === 'file') return textOf(node)
  return node.kind === 'link' ? node.target : ''
}

let provisioned: Promise<Machine> | undefined
const whole = new Map<string, Promise<string[]>>()

/** A provisioned server. */
export async function newMachine(): Promise<Machine> {
  provisioned ??= prepared()
  return new Machine((await provisioned).disk)
}

/** The footprint of a site on a machine without any faults, in use or in the trash. */
export function wholeSite(label: string, site: Site, trashed: boolean): Promise<string[]> {
  const key = JSON.stringify({ ...site, user: '', trashed })
  const known = whole.get(key) ?? made(label, site, trashed)
  whole.set(key, known)
  return known
}

async function prepared(): Promise<Machine> {
  const machine = bareMachine()
  await finish(machine, (context) => serverProvision.run({ php_versions: [] }, context))
  return machine
}

async function made(label: string, site: Site, trashed: boolean): Promise<string[]> {
  const machine = await newMachine()
  await finish(machine, (context) => siteCreate.run(site, context))
  if (trashed) await finish(machine, (context) => siteDelete.run(site, context))
  return footprint(machine, label, site.user)
}

type Context = Parameters<typeof siteCreate.run>[1]

async function finish(machine: Machine, run: (context: Context) => Progress<object>) {
  const host = hostOn(machine, OPEN, new Timeline(), new Dice(1))
  const context: Context = {
    host,
    announce: () => undefined,
    perform: (steps) => performSteps(steps, async () => undefined),
    warn: () => undefined,
  }
  const work = run(context)
  while (!(await work.next()).done);
}
