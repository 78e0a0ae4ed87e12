import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import type { CommandName } from '#shared/commands.ts'
import { COMMAND_NAMES, isCommandName } from '#shared/contracts.ts'

/** Returns the first part of a name and a star. */
export const groupOf = (name: string): `${string}.*` => `${name.split('.')[0]}.*`
const GROUPS: ReadonlySet<string> = new Set(COMMAND_NAMES.map(groupOf))

/** A command, or with `database.*` all commands with this first part. */
const DeniedCommand = z.custom<CommandName | `${string}.*`>(
  (value) => typeof value === 'string' && (isCommandName(value) || GROUPS.has(value)),
  'must be the name of a command, or the first part of names and .*',
)

/**
 * `shell`: whether people get a shell of a site, beside SFTP. `client_accounts`: whether sites get
 * accounts with a password. `destructive_per_hour`: how often data may be deleted permanently within
 * any 60 minutes. `upgrades`: off as soon as there is a file, since another program could ignore it.
 */
const PolicyFile = z.strictObject({
  deny: z.array(DeniedCommand).default([]),
  passwords: z.enum(['allow', 'deny']).default('allow'),
  upgrades: z.enum(['allow', 'deny']).default('deny'),
  shell: z.enum(['allow', 'deny']).default('allow'),
  client_accounts: z.enum(['allow', 'deny']).default('allow'),
  destructive_per_hour: z.number().int().nonnegative().optional(),
})
export type PolicyRules = z.output<typeof PolicyFile>

const ALL_ALLOWED: PolicyRules = {
  deny: [],
  passwords: 'allow',
  upgrades: 'allow',
  shell: 'allow',
  client_accounts: 'allow',
}

/**
 * Reads the permissions of a dashboard on this server: all of them without a file. An invalid file
 * is `broken`, with the reason: it must not mean "allowed".
 */
export async function readRules(
  files: Files,
  path: string,
): Promise<PolicyRules | { broken: string }> {
  const found = await files.stat(path)
  if (!found) return ALL_ALLOWED
  if (found.kind !== 'file') return { broken: 'is not a regular file' }
  if (found.uid !== 0) return { broken: 'does not belong to root' }
  if ((found.mode & 0o022) !== 0) return { broken: 'can be written by others than root' }
  const text = await files.read(path).catch(() => undefined)
  return text === undefined ? { broken: 'cannot be read' } : parsed(text)
}

function parsed(text: string): PolicyRules | { broken: string } {
  const value: unknown = undefinedIfThrows(() => JSON.parse(text))
  if (value === undefined) return { broken: 'is not JSON' }
  const result = PolicyFile.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  return { broken: `is wrong at ${issue?.path.join('.') || 'the top'}: ${issue?.message}` }
}
