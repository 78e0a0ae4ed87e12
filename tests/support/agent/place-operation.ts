import { createHash } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import type { StoredEvent } from '#shared/kernel/sse.ts'

interface Placed {
  id: string
  command: string
  params: object
}

/** Writes an operation in the agent's format, for an agent of any user. */
export async function placeOperation(
  state: string,
  { id, command, params }: Placed,
  events: readonly StoredEvent[],
): Promise<void> {
  const folder = `${state}/operations/${id}`
  await mkdir(folder, { recursive: true })
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([command, params]))
    .digest('hex')
  const request = { id, command, params, fingerprint, created_at: Date.now() }
  await writeFile(`${folder}/request.json`, `${JSON.stringify(request)}\n`)
  const lines = events.map((event) => `${JSON.stringify(event)}\n`)
  await writeFile(`${folder}/events.ndjson`, lines.join(''))
  for (const path of [`${state}/operations`, folder]) await chmod(path, 0o777)
  for (const name of ['request.json', 'events.ndjson']) await chmod(`${folder}/${name}`, 0o666)
}
