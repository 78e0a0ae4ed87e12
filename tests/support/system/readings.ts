import process from 'node:process'
import { readConfig } from '#agent/config.ts'
import { findRepositories, readKeeper } from '#agent/os/backup/storage/find.ts'
import { listBackups } from '#agent/os/backup/storage/list.ts'
import { realHost } from '#agent/real-host.ts'
import { FindRequest, KeeperRequest, ListRequest } from '#shared/backup-find.ts'

/** The calls of an agent that read a storage. Returns for any other name. */
export async function runReading(name: string, text: string): Promise<void> {
  const host = () => realHost(readConfig(process.env).settings)
  const params: unknown = JSON.parse(text)
  const readings: Record<string, () => Promise<object>> = {
    'backups.find': () => findRepositories(host(), FindRequest.parse(params)),
    'backups.list': () => listBackups(host(), ListRequest.parse(params)),
    'backups.keeper': () => readKeeper(host(), KeeperRequest.parse(params)),
  }
  const read = readings[name]
  if (!read) return
  const outcome = await read().then(
    (data) => ({ event: 'complete', data }),
    (error: unknown) => ({ event: 'refused', data: { message: String(error) } }),
  )
  console.log(JSON.stringify({ outcome, steps: [] }))
  process.exit(0)
}
