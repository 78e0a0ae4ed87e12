import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { gzipSync } from 'node:zlib'
import { type ReadInput, ReadRequest } from '#agent/programs/logs/request.ts'

/** A folder with logs, as a site has them. */
export const logFolder = () => mkdtempSync(`${tmpdir()}/logs-`)

/** Writes a log; the time of its last change in minutes after the year began. */
export function writeLog(path: string, text: string | Uint8Array, minute = 0): void {
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(text) : text)
  const at = Date.UTC(2026, 0, 1, 0, minute) / 1000
  utimesSync(path, at, at)
}

export const visitAt = (minute: number, path: string, status = 200) => {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60]
  const time = `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:00`
  return `203.0.113.7 - - [01/Jan/2026:${time} +0000] "GET ${path} HTTP/2.0" ${status} 5 "-" "-"\n`
}

export const requestFor = (request: Partial<ReadInput> & Pick<ReadInput, 'paths'>): ReadRequest =>
  ReadRequest.parse({ what: 'search', source: 'access', budget_ms: 60_000, ...request })
