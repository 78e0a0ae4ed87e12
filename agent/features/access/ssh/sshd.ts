import { isDeepStrictEqual } from 'node:util'
import { CLIENT_GROUP } from '#agent/features/access/clients.ts'
import {
  ACCESS_FOLDER,
  DROP_IN,
  DROP_INS,
  SFTP_GROUP,
  SSHD,
  SSHD_CONFIG,
  TRIAL_CONFIG,
} from '#agent/features/access/paths.ts'
import { SHELL_GROUP, shellAccountOf } from '#agent/features/access/shell-account.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK_LINE, readGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { packagesInstalled } from '#agent/kernel/packages/packages.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import type { Service } from '#agent/kernel/services/service.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import {
  CLIENT_SETTINGS,
  DROP_IN_TEXT,
  type SessionSettings,
  SFTP_SETTINGS,
  SHELL_SETTINGS,
} from './drop-in.ts'
import { effectiveSettings, problemsIn, testConfig } from './effective.ts'

const PACKAGE = 'openssh-server'
const RUN_FOLDER = '/run/sshd'
/** Users whose access must not change. */
const OTHERS = ['root', 'nobody']

/** Throws conflict where sites cannot have access by SSH. */
export async function refuseWithoutSshd({ files }: Host, mayInstall: boolean): Promise<void> {
  if (!(await files.stat(SSHD))) {
    if (mayInstall) return
    throw conflict(
      `${PACKAGE} is not installed on this server: install it, or repeat the call with install`,
    )
  }
  const text = (await files.read(SSHD_CONFIG)) ?? ''
  const before = text.split(/^\s*Match\s/im)[0] ?? ''
  if (/^\s*Include\s+(?:"?\/etc\/ssh\/)?sshd_config\.d\/\*\.conf"?\s*$/im.test(before)) return
  throw conflict(
    `${SSHD_CONFIG} does not read ${DROP_INS}: add the line "Include ${DROP_INS}/*.conf" at its beginning`,
  )
}

/** An account, the settings that sshd must apply to it, and its name in messages. */
interface ConfinedAccount {
  account: string
  settings: SessionSettings
  what: string
}
export const sftpOf = (user: string): ConfinedAccount => ({
  account: user,
  settings: SFTP_SETTINGS,
  what: `${user} to its site`,
})
export const shellSessionOf = (user: string): ConfinedAccount => ({
  account: shellAccountOf(user),
  settings: SHELL_SETTINGS,
  what: `the shell of ${user}`,
})
export const clientOf = (login: string): ConfinedAccount => ({
  account: login,
  settings: CLIENT_SETTINGS,
  what: `${login} to its site`,
})

/** Returns the step that installs the SSH server; none if it is installed. */
export async function installSteps(host: Host): Promise<Step[]> {
  if (await host.files.stat(SSHD)) return []
  return [
    {
      name: 'ssh package',
      title: `Installing ${PACKAGE}`,
      ...packagesInstalled(host, [PACKAGE], 'install'),
    },
  ]
}

const GROUP_STEPS = {
  [SFTP_GROUP]: 'ssh group',
  [SHELL_GROUP]: 'shell group',
  [CLIENT_GROUP]: 'client group',
} as const

/** Returns the step that creates a group with its own settings of sshd; none if it exists. */
export async function groupSteps(host: Host, group: keyof typeof GROUP_STEPS): Promise<Step[]> {
  if (await hasGroup(host, group)) return []
  return [
    {
      name: GROUP_STEPS[group],
      title: `Creating the group ${group}`,
      effects: [effects.create('group', group)],
      async apply() {
        await host.shell.run(['groupadd', '--system', '--force', group])
      },
    },
  ]
}

const hasGroup = async ({ files }: Host, group: string) =>
  new RegExp(`^${group}:`, 'm').test((await files.read('/etc/group', 64 << 20)) ?? '')

/**
 * Returns the step that configures how sites log in; none if it is done. The whole configuration is
 * tested and compared in another file first: sshd never finds an untested one.
 */
export async function sshdSteps(
  host: Host,
  sessions: readonly ConfinedAccount[] = [],
): Promise<Step[]> {
  if ((await readGenerated(host, DROP_IN)) === DROP_IN_TEXT) return []
  return [
    {
      name: 'sshd',
      title: 'Configuring the SSH server',
      effects: async () => [
        ...(await effects.creationsOf(host, 'folder', RUN_FOLDER, DROP_INS)),
        ...(await effects.writesOf(host, [{ path: DROP_IN, text: DROP_IN_TEXT }])),
        effects.run('reload', SSH_UNIT),
      ],
      apply: () =>
        host.exclusive('sshd', async () => {
          await refuseOnTrial(host, sessions)
          await readGenerated(host, DROP_IN)
          await host.files.write(DROP_IN, DROP_IN_TEXT)
          await reload(host)
        }),
      undo: () => host.exclusive('sshd', () => finishReload(host.steady ?? host)),
    },
  ]
}

async function refuseOnTrial(host: Host, sessions: readonly ConfinedAccount[]): Promise<void> {
  const [part, whole] = [`${TRIAL_CONFIG}.conf`, TRIAL_CONFIG]
  await host.files.mkdir(RUN_FOLDER, { mode: 0o755 })
  await host.files.mkdir(ACCESS_FOLDER, { mode: 0o755 })
  try {
    await host.files.write(part, DROP_IN_TEXT)
    await host.files.write(whole, `# ${MARK_LINE}\nInclude ${part}\nInclude ${SSHD_CONFIG}\n`)
    await testConfig(host, whole)
    await refuseOtherChanges(host, whole)
    await refuseUnconfined(host, sessions, whole)
  } finally {
    await host.files.remove(part)
    await host.files.remove(whole)
  }
}

/** Throws conflict if sshd would treat a session otherwise than intended. */
export async function refuseUnconfined(
  host: Host,
  sessions: readonly ConfinedAccount[],
  config?: string,
): Promise<void> {
  for (const { account, settings, what } of sessions) {
    const problems = problemsIn(await effectiveSettings(host, account, config), account, settings)
    if (problems.length > 0)
      throw conflict(`sshd would not confine ${what}: ${problems.join('; ')}`)
  }
}

async function refuseOtherChanges(host: Host, whole: string): Promise<void> {
  for (const user of OTHERS) {
    const [before, after] = [
      await effectiveSettings(host, user),
      await effectiveSettings(host, user, whole),
    ]
    if (!isDeepStrictEqual(before, after))
      throw conflict(`The SSH server would treat ${user} differently: nothing was changed`)
  }
}

const SSH_UNIT = 'ssh.service'
const SERVICE: Service = {
  unit: SSH_UNIT,
  program: SSHD,
  args: ['-D'],
  pid_file: '/run/sshd.pid',
  log: '/var/log/hosting-services.log',
  stop_signal: 'TERM',
}
/** The time in which sshd opens its sockets again; a socket of systemd stays the same. */
const OPENS_MS = 1000
const LOOK_MS = 10
const LISTENING = '0A'
const MAX_TABLE = 64 << 20

/**
 * Reloads sshd; running sessions stay. sshd closes its sockets for a moment: this returns when it
 * has new ones. A server that systemd starts for each connection reads its configuration by itself.
 */
export async function reload(host: Host): Promise<void> {
  const settings = await effectiveSettings(host, 'root')
  const ports = new Set((settings.get('port') ?? []).map(Number))
  const before = await socketsOf(host, ports)
  const services = servicesOf(host)
  if (!(await services.isActive(SERVICE))) return
  await services.reload(SERVICE, 'HUP')
  const until = host.clock.elapsed() + OPENS_MS
  while (before.size > 0 && host.clock.elapsed() < until) {
    const now = await socketsOf(host, ports)
    if (now.size >= before.size && now.isDisjointFrom(before)) return
    await host.clock.sleep(LOOK_MS)
  }
}

/** An interrupted step may have left the file, which is tested, without a reload. */
async function finishReload(host: Host): Promise<void> {
  if (await host.files.stat(DROP_IN)) await reload(host).catch(() => undefined)
}

/** The inodes of the sockets that listen on these ports: proc_net_tcp(5). */
async function socketsOf({ files }: Host, ports: ReadonlySet<number>): Promise<Set<string>> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => files.read(`/proc/net/${name}`, MAX_TABLE)),
  )
  const rows = tables.flatMap((text) => (text ?? '').trim().split('\n').slice(1))
  return new Set(
    rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/)
      const port = Number.parseInt(local.split(':').at(-1) ?? '', 16)
      return state === LISTENING && ports.has(port) ? [inode] : []
    }),
  )
}
