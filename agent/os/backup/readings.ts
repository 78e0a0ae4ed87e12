import { perHost, reading } from '#agent/calls/reading.ts'
import {
  backupDownloadReading,
  backupsReading,
  browseReading,
  keeperReading,
  repositoriesReading,
} from '#shared/readings/backups.ts'
import { browsers } from './read/browse.ts'
import { Downloads } from './read/download.ts'
import { findRepositories, readKeeper } from './storage/find.ts'
import { listBackups } from './storage/list.ts'

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
