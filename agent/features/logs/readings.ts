import { perHost, reading } from '#agent/kernel/calls/reading.ts'
import {
  fatalErrorsReading,
  logDownloadReading,
  logPageReading,
  logsReading,
  logTailReading,
} from '#shared/logs/readings.ts'
import { LogTails } from './follow.ts'
import { downloadLog, groupFatals, listLogs, searchLog } from './read.ts'

export const logs = reading(logsReading, ({ host, params }) => listLogs(host, params.domain))

export const logPage = reading(logPageReading, ({ host, params }) => searchLog(host, params))

export const fatalErrors = reading(fatalErrorsReading, ({ host, params }) =>
  groupFatals(host, params),
)

export const logDownload = reading(logDownloadReading, async ({ host, params }) => ({
  type: 'text/plain; charset=utf-8',
  content: await downloadLog(host, params),
}))

const tails = perHost((host) => new LogTails(host))
export const logTail = reading(logTailReading, ({ host, params }) => tails(host).start(params))
