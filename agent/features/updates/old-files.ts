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

/** Matches programs of an operation or a job of a site, which end by themselves. */
const TEMPORARY_UNITS = /^(hosting-operation-|hosting-cron@|hosting-job@|run-)/
const OTHER_ADVICE = 'Restart it, or reboot the server: Hosting Control does not restart it'

export async function oldPrograms(host: Host): Promise<OldProgram[]> {
  const processes = await oldProcesses(host)
  if (processes.length === 0) return []
  const services = await namedServices(host)
  const owners = await ownersOf(host, services)
  const programs = new Map<string, OldProgram>()
  for (const one of processes) {
    const known = owners.find(({ owns }) => owns(one))
    if (!known && TEMPORARY_UNITS.test(one.unit)) continue
    const program = known ? programOfService(known.service) : programOfUnit(one)
    if (program.name === '') continue
    const main = known === undefined || known.main === undefined || known.main === one.pid
    const before = programs.get(program.name)
    programs.set(program.name, { ...program, main: main || (before?.main ?? false) })
  }
  return [...programs.values()]
}

/** Returns the reported form; `since` of known programs stays. */
export function toReported(
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

interface ServiceProcesses {
  service: NamedService
  owns(one: OldProcess): boolean
  /** The id of the main process; undefined when all processes of the service count as main ones. */
  main: number | undefined
}

async function ownersOf(
  host: Host,
  services: readonly NamedService[],
): Promise<ServiceProcesses[]> {
  return Promise.all(
    services.map(async (service): Promise<ServiceProcesses> => {
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

const programOfService = (known: NamedService) => ({
  name: known.name,
  kind: known.kind,
  domain: known.site?.domain ?? '',
  known,
})

/** Describes programs of root and of logged-in users; a process without a unit has no name. */
function programOfUnit({ pid, unit }: OldProcess): Omit<OldProgram, 'main'> {
  const name = unit.replace(/\.(service|scope)$/, '') || (pid === 1 ? 'systemd' : '')
  return { name, kind: 'other', domain: '', known: undefined }
}

/** A process that runs code of a removed or replaced file. */
interface OldProcess {
  pid: number
  /** The systemd unit that it belongs to; empty without one. */
  unit: string
  parent: number
}

/** Matches code of packages: code that programs generate is elsewhere. See proc_pid_maps(5). */
const CODE =
  '^[0-9a-f-]+ ..x. [0-9a-f]+ [0-9a-f:]+ [0-9]+ +/(usr|lib|lib64|bin|sbin)/.* [(]deleted[)]$'
const GREP = ['grep', '--no-messages', '--with-filename', '--extended-regexp', '--max-count=1']
/** The number of processes per call. */
const MAX_PROCESSES_PER_CALL = 500

/** Lists processes that have mapped replaced files, by grep outside of the sandbox. */
async function oldProcesses(host: Host): Promise<OldProcess[]> {
  const names = (await host.files.list('/proc')).map(({ name }) => name)
  const pids = names.filter((name) => /^[1-9]\d*$/.test(name))
  const found: number[] = []
  for (let at = 0; at < pids.length; at += MAX_PROCESSES_PER_CALL) {
    const paths = pids.slice(at, at + MAX_PROCESSES_PER_CALL).map((pid) => `/proc/${pid}/maps`)
    const { stdout } = await host.shell.try([...GREP, CODE, ...paths], { unconfined: true })
    found.push(...[...stdout.matchAll(/^\/proc\/(\d+)\/maps:/gm)].map(([, pid]) => Number(pid)))
  }
  return Promise.all(found.map((pid) => describeProcess(host, pid)))
}

async function describeProcess({ files }: Host, pid: number): Promise<OldProcess> {
  const [group = '', status = ''] = await Promise.all([
    files.read(`/proc/${pid}/cgroup`).catch(() => ''),
    files.read(`/proc/${pid}/status`).catch(() => ''),
  ])
  const units = /^0::(.*)$/m.exec(group)?.[1]?.split('/') ?? []
  const unit = units.findLast((name) => /\.(service|scope)$/.test(name)) ?? ''
  return { pid, unit, parent: Number(/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? 0) }
}
