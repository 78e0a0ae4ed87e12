import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { COMPILER_MB, ownProgram } from '#agent/kernel/host/own-program.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { SCANNER } from '#agent/kernel/host/sandbox.ts'
import { ensureExecutable } from './executable.ts'
import { literalWords } from './literal-words.ts'
import { send } from './programs.ts'
import { type HelperProcess, ScanHelper } from './scan-helper.ts'
import { environment } from './shell.ts'
import { SYSTEMD_RUN, transient } from './unconfined.ts'

interface ScanningOptions {
  init: Host['init']
  privileged: boolean
  /** The unit of this agent, whose end also ends the process. */
  unit?: string
  /** The socket of MariaDB, if it is not Debian's. */
  socket?: string
}

/** Reads sites with `hosting-agent scan`, which has only the right to become the user of a site. */
export function startScanHelper(settings: ScanningOptions): ScanHelper {
  const ready = settings.unit === undefined ? undefined : () => ensureExecutable(SYSTEMD_RUN)
  return new ScanHelper(() => start(settings), undefined, ready)
}

function start({ init, privileged, socket, unit }: ScanningOptions): HelperProcess {
  const program = [...ownProgram(), 'scan', ...(socket === undefined ? [] : [socket])]
  return privileged ? STARTERS[init](program, unit) : asGroup(program)
}

const asGroup = ([file = '', ...args]: readonly string[]): HelperProcess =>
  asChild(file, args, (pid) => send(-pid, 'SIGKILL'))

type StartProcess = (program: readonly string[], owner: string | undefined) => HelperProcess

const STARTERS: Record<Host['init'], StartProcess> = {
  systemd: inUnit,
  direct: (program) => asGroup([...RESOURCE_LIMITS, ...program]),
}

/** The maximum length of its standard error in an error message. */
const MAX_COMPLAINT = 500

const MEMORY_MB = 512
/** RLIMIT_DATA of a scan without systemd, in bytes. */
export const SCAN_DATA_BYTES = (MEMORY_MB + COMPILER_MB) * 2 ** 20

/** The limits of the unit for a machine without systemd: setpriv(1), prlimit(1). */
const PRIVILEGE_LIMITS = ['setpriv', '--clear-groups', '--inh-caps=-all']
const RESOURCE_LIMITS = [
  ...PRIVILEGE_LIMITS,
  '--no-new-privs',
  '--bounding-set=-all,+setuid,+setgid',
  '--',
  'prlimit',
  '--core=0',
  '--nofile=1024',
  `--data=${SCAN_DATA_BYTES}`,
  '--',
]

function inUnit(program: readonly string[], owner: string | undefined): HelperProcess {
  const unit = `hosting-scan-${randomBytes(6).toString('hex')}.service`
  const properties = owner ? [...SCANNER, `BindsTo=${owner}`] : SCANNER
  const [file = '', ...args] = transient(properties, undefined, unit)
  // Killing systemd-run does not end its unit.
  return asChild(
    file,
    [...args, ...literalWords([...PRIVILEGE_LIMITS, '--', ...program])],
    (pid) => {
      const argv = ['kill', '--signal=SIGKILL', unit]
      spawn('systemctl', argv, { env: environment({}), stdio: 'ignore' }).on(
        'error',
        () => undefined,
      )
      send(-pid, 'SIGKILL')
    },
  )
}

function asChild(
  file: string,
  args: readonly string[],
  kill: (pid: number) => void,
): HelperProcess {
  const env = environment(compileCache())
  const child = spawn(file, args, { env, cwd: '/', detached: true, stdio: 'pipe' })
  let complaint = ''
  child.stderr.on('data', (data) => {
    complaint = (complaint + String(data)).slice(-MAX_COMPLAINT)
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    once: child.once.bind(child),
    complaint: () => complaint.trim(),
    kill() {
      child.stdin?.destroy()
      child.stdout?.destroy()
      child.stderr?.destroy()
      if (child.pid !== undefined && child.exitCode === null) kill(child.pid)
    },
  }
}

/** Returns the compile cache of Deno. */
function compileCache(): Record<string, string> {
  const { HOME, DENO_DIR } = process.env
  return { ...(HOME && { HOME }), ...(DENO_DIR && { DENO_DIR }) }
}
