import { browsers } from '#agent/features/backups/read/browse.ts'
import { Downloads } from '#agent/features/backups/read/download.ts'
import { findRepositories, readKeeper } from '#agent/features/backups/storage/find.ts'
import { listBackups } from '#agent/features/backups/storage/list.ts'
import { perHost, reading } from '#agent/kernel/calls/reading.ts'
import {
  backupDownloadReading,
  backupsReading,
  browseReading,
  keeperReading,
  repositoriesReading,
} from '#shared/backups/readings.ts'

export const browse = reading(browseReading, ({ host, params }) => browsers(host).browse(params))

const downloads = perHost((host) => new Downloads(host))
export const backupDownload = reading(backupDownloadReading, ({ host, params }) =>
  downloads(host).start(params),
)

export const repositories = reading(repositoriesReading, ({ host, params }) =>
  findRepositories(host, params),
)

export const backups = reading(backupsReading, ({ host, params }) => listBackups(host, params))

export const keeper = reading(keeperReading, ({ host, params }) => readKeeper(host, params))
