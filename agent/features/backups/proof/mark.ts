import { readingRepository, SESSIONS } from '#agent/features/backups/read/opened.ts'
import { saveProof } from '#agent/features/backups/save.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { ParamsOf } from '#shared/commands.ts'

/** Records in the repository that the backup is proven: the keeper has no other way to know it. */
export async function markProven(host: Host, params: ParamsOf<'backup.prove'>): Promise<void> {
  const marking = readingRepository(host, SESSIONS.proof, params, async function* (opened) {
    yield await saveProof(host, opened, params.backup)
  })
  await Array.fromAsync(marking)
}
