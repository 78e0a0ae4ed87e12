import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import type { OldFilesProgram } from '#shared/updates/maintenance.ts'
import { type NamedService, namedServices } from './services.ts'

/** A program that runs replaced files. */
export interface OldProgram {
  name: string
  kind: OldFilesProgram['kind']
  domain: string
  /** The service that the program belongs to; undefined when this agent does not manage it. */
  known: NamedService | undefined
  /** False when its main process is new, and former ones complete their last requests. */
  main: boolean
}

/** Programs of an operation or a job of a site, which end by themselves. */
const PASSING = /^(hosting-operation-|hosting-cron@|hosting-job@|run-)/
const OTHER_ADVICE = 'Restart it, or reboot the server: Hosting Control does not restart it'

export async function oldPrograms(host: Host): Promise<OldProgram[]> {
  const processes = await oldProcesses(host)
  if (processes.length === 0) return []
  const services = await namedServices(host)
  const owners = await ownersOf(host, services)
  const programs = new Map<string, OldProgram>()
  for (const one of processes) {
    const known = owners.find(({ owns }) => owns(one))
    if (!known && PASSING.test(one.unit)) continue
    const program = known ? ofKnown(known.service) : ofOther(one)
    if (program.name === '') continue
    const main = known === undefined || known.main === undefined || known.main === one.pid
    const before = programs.get(program.name)
    programs.set(program.name, { ...program, main: main || (before?.main ?? false) })
  }
  return [...programs.values()]
}

/** In the reported form: `since` of known programs stays. */
export function reported(
  programs: readonly OldProgram[],
  before: readonly OldFilesProgram[],
  { now, problems }: { now: string; problems: ReadonlyMap<string, string> },
): OldFilesProgram[] {
  return programs.map(({ name, kind, domain, main }) => ({
    name,
    kind,
    domain,
    since: before.find((former) => former.name === name)?.since ?? now,
    problem: problems.get(name) ?? adviceFor(name, kind, main),
  }))
}

function adviceFor(name: string, kind: OldFilesProgram['kind'], main: boolean): string {
  if (kind === 'other') return OTHER_ADVICE
  if (name === 'mariadb') return 'A restart interrupts sites for some seconds: request it'
  return main ? '' : 'Old processes complete their last requests'
}

interface Owner {
  service: NamedService
  owns(one: OldProcess): boolean
  /** The id of the main process; undefined when all processes of the service count as main ones. */
  main: number | undefined
}

async function ownersOf(host: Host, services: readonly NamedService[]): Promise<Owner[]> {
  return Promise.all(
    services.map(async (service): Promise<Owner> => {
      const pid = await pidOf(host, service)
      const owns = ({ unit, ...one }: OldProcess) =>
        formOf(host, {
          systemd: unit === service.unit,
          direct: pid !== undefined && [one.pid, one.parent].includes(pid),
        })
      return { service, main: service.name === 'nginx' ? pid : undefined, owns }
    }),
  )
}

async function pidOf({ files }: Host, { service }: NamedService): Promise<number | undefined> {
  const text = service && (await files.read(service.pid_file))?.trim()
  return text && /^[1-9]\d*$/.test(text) ? Number(text) : undefined
}

const ofKnown = (known: NamedService) => ({
  name: known.name,
  kind: known.kind,
  domain: known.site?.domain ?? '',
  known,
})

/** Root's own programs and those of logged-in users; a process without a unit has no name. */
function ofOther({ pid, unit }: OldProcess): Omit<OldProgram, 'main'> {
  const name = unit.replace(/\.(service|scope)$/, '') || (pid === 1 ? 'systemd' : '')
  return { name, kind: 'other', domain: '', known: undefined }
}

/** A process that runs code of a file that is no longer there. */
interface OldProcess {
  pid: number
  /** The unit of systemd that it belongs to, empty where there is none. */
  unit: string
  parent: number
}

/** Only code of packages: code that programs generate is elsewhere. See proc_pid_maps(5). */
const CODE =
  '^[0-9a-f-]+ ..x. [0-9a-f]+ [0-9a-f:]+ [0-9]+ +/(usr|lib|lib64|bin|sbin)/.* [(]deleted[)]$'
const GREP = ['grep', '--no-messages', '--with-filename', '--extended-regexp', '--max-count=1']
/** The number of processes per call. */
const PIECE = 500

/**
 * Processes that have mapped replaced files. The sandbox of the agent prevents inspecting processes
 * with more rights: grep runs outside of it.
 */
async function oldProcesses(host: Host): Promise<OldProcess[]> {
  const names = (await host.files.list('/proc')).map(({ name }) => name)
  const pids = names.filter((name) => /^[1-9]\d*$/.test(name))
  const found: number[] = []
  for (let at = 0; at < pids.length; at += PIECE) {
    const paths = pids.slice(at, at + PIECE).map((pid) => `/proc/${pid}/maps`)
    const { stdout } = await host.shell.try([...GREP, CODE, ...paths], { unconfined: true })
    found.push(...[...stdout.matchAll(/^\/proc\/(\d+)\/maps:/gm)].map(([, pid]) => Number(pid)))
  }
  return Promise.all(found.map((pid) => describe(host, pid)))
}

async function describe({ files }: Host, pid: number): Promise<OldProcess> {
  const [group = '', status = ''] = await Promise.all([
    files.read(`/proc/${pid}/cgroup`).catch(() => ''),
    files.read(`/proc/${pid}/status`).catch(() => ''),
  ])
  const units = /^0::(.*)$/m.exec(group)?.[1]?.split('/') ?? []
  const unit = units.findLast((name) => /\.(service|scope)$/.test(name)) ?? ''
  return { pid, unit, parent: Number(/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? 0) }
}
