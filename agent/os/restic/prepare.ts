import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import type { Progress } from '#agent/steps/command.ts'
import { failureOf, NO_REPOSITORY } from './failures.ts'
import { type Opened, runRestic, tryRestic } from './run.ts'
import { fingerprintOf, sealTo } from './seal.ts'

const MINUTE_MS = 60_000

const Keys = z.array(z.object({ userName: z.string(), hostName: z.string() }))

/**
 * Creates a missing repository, and gives it a key whose name is its own password, encrypted to the
 * recovery key: whoever has that key and the storage needs nothing else. Names of keys are not
 * encrypted by restic.
 */
export async function* prepareRepository(
  host: Host,
  opened: Opened,
  recovery_key: string,
): Progress<void> {
  const found = await tryRestic(host, opened, ['key', 'list', '--json'], {
    timeout_ms: 5 * MINUTE_MS,
  })
  const { target, password, name } = opened.repository
  if (found.code === NO_REPOSITORY) {
    yield `Creating the repository ${name}`
    await runRestic(host, opened, ['init', '--repository-version', '2'], {
      timeout_ms: 5 * MINUTE_MS,
    })
  } else if (found.code !== 0) throw failureOf(found, [target.secret, password])
  const hostName = `recovery-${fingerprintOf(recovery_key)}`
  if (found.code === 0 && keysIn(found.stdout).some((key) => key.hostName === hostName)) return
  yield 'Storing the password for the recovery kit'
  const owner = ['--user', sealTo(recovery_key, password), '--host', hostName]
  const add = ['key', 'add', '--new-password-file', '/run/backup/password', ...owner]
  await runRestic(host, opened, add, { timeout_ms: 5 * MINUTE_MS })
}

function keysIn(text: string): z.infer<typeof Keys> {
  try {
    return Keys.safeParse(JSON.parse(text)).data ?? []
  } catch {
    return []
  }
}
