import { SSHD, SSHD_CONFIG } from '#agent/features/access/paths.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type SessionSettings, SFTP_SETTINGS, SHELL_SETTINGS } from './drop-in.ts'

/** The settings of sshd that refuse a user regardless of its own block. */
const LISTS = ['allowusers', 'allowgroups', 'denyusers', 'denygroups'] as const

/** Variables of a person that only affect the display of texts. */
const HARMLESS = /^(?:LANG|LANGUAGE|LC_[A-Z*]+|COLORTERM|NO_COLOR|TZ)$/

/** The settings of a session by their names in lower case, each with its values: sshd(8), -T. */
export type EffectiveSettings = ReadonlyMap<string, readonly string[]>

/** Throws conflict with the message of sshd for a configuration that it does not accept. */
export async function effectiveSettings(
  host: Host,
  user: string,
  config = SSHD_CONFIG,
): Promise<EffectiveSettings> {
  const session = `user=${user},host=localhost,addr=127.0.0.1,laddr=127.0.0.1,lport=22`
  const stdout = await runSshd(host, ['-T', '-f', config, '-C', session])
  const settings = new Map<string, string[]>()
  for (const line of stdout.split('\n').filter(Boolean)) {
    const [, name = '', value = ''] = /^(\S+) ?(.*)$/.exec(line) ?? []
    settings.set(name, [...(settings.get(name) ?? []), value])
  }
  return settings
}

export async function testConfig(host: Host, config: string): Promise<void> {
  await runSshd(host, ['-t', '-f', config])
}

async function runSshd({ shell }: Host, options: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await shell.try([SSHD, ...options])
  if (code === 0) return stdout
  const reason = stderr.trim().split('\n').slice(0, 5).join(' | ') || `status ${code}`
  throw conflict(`sshd does not accept its configuration, and nothing was changed: ${reason}`)
}

/** Returns a sentence for each setting of a session that is not the intended one. */
export function problemsIn(
  found: EffectiveSettings,
  user: string,
  settings: SessionSettings = SFTP_SETTINGS,
): string[] {
  const different = Object.entries(settings).flatMap(([name, value]) => {
    const [is = ''] = found.get(name.toLowerCase()) ?? []
    // Without support for it, sshd does not print the setting.
    const absent = value === 'no' && !found.has(name.toLowerCase())
    return absent || isSame(is, value) ? [] : [`${name} is ${is || 'not set'} instead of ${value}`]
  })
  const lists = LISTS.filter((name) => found.has(name)).map(
    (name) => `${name} decides who may log in: it must allow ${user}`,
  )
  // A program starts with these: none may decide what it loads or runs.
  const variables = (found.get('acceptenv') ?? []).filter((name) => !HARMLESS.test(name))
  const environment =
    settings !== SHELL_SETTINGS || variables.length === 0
      ? []
      : [`AcceptEnv has ${variables.join(', ')}`]
  const pam = found.get('usepam')?.[0] === 'yes' ? [] : ['UsePAM is not on']
  return [...different, ...lists, ...environment, ...pam]
}

/** Compares without case: sshd prints a relative number and `none` as they were written. */
const isSame = (is: string, value: string) => is.toLowerCase() === value.toLowerCase()
