import { generated } from '#agent/kernel/effects/change.ts'
import { MARK_LINE, readGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { packagesInstalled } from '#agent/kernel/packages/packages.ts'
import { PHP_ORIGIN_FILE } from '#agent/kernel/packages/php-source.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Unattended } from '#shared/updates/maintenance.ts'

const PACKAGE = 'unattended-upgrades'
const PROGRAM = '/usr/bin/unattended-upgrade'
const FOLDER = '/etc/apt/apt.conf.d'
/** The file with priority, since apt reads it after that of the package. */
export const UNATTENDED_FILE = `${FOLDER}/60hosting-unattended-upgrades`
const DEBIAN_SWITCH = '20auto-upgrades'
const DEBIAN_TEXT =
  /^\s*APT::Periodic::Update-Package-Lists "1";\s*APT::Periodic::Unattended-Upgrade "1";\s*$/
const OWN_SETTING =
  /^\s*(APT::Periodic::(Unattended-Upgrade|Enable)|Unattended-Upgrade::(Origins-Pattern|Allowed-Origins))\b/m
/** The variable that unattended-upgrades replaces by the codename of the server. */
const CODENAME = '$'.concat('{distro_codename}')
const TIMER = 'apt-daily-upgrade.timer'

/** Returns the effective configuration of unattended-upgrades and its effect. */
export async function unattendedOf(host: Host): Promise<Unattended> {
  const admin = await findAdministratorsFile(host)
  const ours = await host.files.read(UNATTENDED_FILE)
  const because = admin === undefined ? '' : `${admin} is the administrator's own`
  const state: Unattended = {
    enabled: false,
    wanted: ours === undefined ? null : ours === renderUnattended(true),
    source: admin !== undefined ? 'administrator' : ours !== undefined ? 'hosting-control' : 'none',
    detail: because,
  }
  if (!(await host.files.stat(PROGRAM))) {
    return { ...state, detail: because || `${PACKAGE} is not installed` }
  }
  const { stdout } = await host.shell.try(['apt-config', 'dump'])
  const value = (name: string) =>
    new RegExp(`^APT::Periodic::${name} "(.*)";$`, 'm').exec(stdout)?.[1]
  const on = !['', '0', undefined].includes(value('Unattended-Upgrade'))
  if (!on || value('Enable') === '0') return state
  const stopped = await stoppedReason(host)
  return { ...state, enabled: stopped === '', detail: stopped || because }
}

/**
 * Returns the step that configures only security updates. None if an administrator has a
 * configuration: that stays, and `unattendedOf` reports its effect.
 */
export async function unattendedSteps(host: Host, enabled: boolean): Promise<Step[]> {
  if ((await findAdministratorsFile(host)) !== undefined) return []
  const missing = enabled && !(await host.files.stat(PROGRAM))
  const text = renderUnattended(enabled)
  const before = await readGenerated(host, UNATTENDED_FILE)
  const packages: Step = {
    name: 'packages',
    title: `Installing ${PACKAGE}`,
    ...packagesInstalled(host, [PACKAGE], 'unattended'),
  }
  return [
    ...(missing ? [packages] : []),
    ...(before === text ? [] : [fileStep(host, before, text)]),
  ]
}

function fileStep(host: Host, before: string | undefined, text: string): Step {
  return {
    name: 'unattended upgrades',
    title: 'Configuring unattended security updates',
    ...generated(host, [{ path: UNATTENDED_FILE, text }]),
    async undo() {
      if (before === undefined) await host.files.remove(UNATTENDED_FILE)
      else await host.files.write(UNATTENDED_FILE, before)
    },
  }
}

/** Renders apt.conf(5); `#clear` empties the list of origins of the package's file. */
export function renderUnattended(enabled: boolean): string {
  const origins = [CODENAME, `${CODENAME}-security`].map(
    (codename) => `  "origin=Debian,codename=${codename},label=Debian-Security";`,
  )
  return `// ${MARK_LINE}
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "${enabled ? 1 : 0}";
#clear Unattended-Upgrade::Origins-Pattern;
#clear Unattended-Upgrade::Allowed-Origins;
Unattended-Upgrade::Origins-Pattern {
${origins.join('\n')}
};
Unattended-Upgrade::Automatic-Reboot "false";
`
}

/** Matches the names that apt reads in its folder: apt.conf(5). Others are drafts and copies. */
const IS_READ = /^([\w-]+|[\w-][\w.-]*\.conf)$/

/** Finds a file of an administrator's configuration: not the package's unchanged one. */
async function findAdministratorsFile(host: Host): Promise<string | undefined> {
  const { files, shell } = host
  const packaged = `${FOLDER}/50unattended-upgrades`
  const names = (await files.list(FOLDER)).map(({ name }) => name)
  for (const name of names.filter((name) => IS_READ.test(name)).sort()) {
    const path = `${FOLDER}/${name}`
    if ([UNATTENDED_FILE, PHP_ORIGIN_FILE, packaged].includes(path)) continue
    const text = (await files.read(path)) ?? ''
    if (name === DEBIAN_SWITCH && DEBIAN_TEXT.test(text)) continue
    if (OWN_SETTING.test(text)) return path
  }
  if (!(await files.stat(PROGRAM))) return undefined
  const { stdout } = await shell.try(['dpkg', '--verify', PACKAGE])
  return stdout.includes(packaged) ? packaged : undefined
}

const stoppedReason = onUnits(async ({ shell }): Promise<string> => {
  const { code } = await shell.try(['systemctl', 'is-active', '--quiet', TIMER])
  return code === 0 ? '' : `${TIMER}, which starts them each day, does not run`
}, 'systemd is not running here, which would start them each day')
