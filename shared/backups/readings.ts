import { NEEDS } from '#shared/kernel/needs.ts'
import { reading } from '#shared/kernel/reading.ts'
import {
  FindRequest,
  FoundRepositories,
  KeeperRequest,
  KeeperTexts,
  ListedBackups,
  ListRequest,
} from './backup-find.ts'
import { BrowsedBackup, BrowseRequest, DownloadRequest } from './backup-read.ts'

/** The time limit of reading: the storage may be slow, and the repository large. */
const BROWSE_MS = 5 * 60_000
/** The time limit of a search: a storage may have many repositories. */
const SEARCH_MS = 10 * 60_000

/** A folder of a backup, and its tables. */
export const browseReading = reading({
  at: 'POST /backups/browse',
  params: BrowseRequest,
  needs: NEEDS.backups,
  answer: BrowsedBackup,
  timeout_ms: BROWSE_MS,
})

/** A part of a backup, with the passwords of its site. */
export const backupDownloadReading = reading({
  at: 'POST /backups/download',
  params: DownloadRequest,
  needs: NEEDS.backups,
  answer: 'bytes',
  permit: 'passwords',
})

/** The repositories of a storage, whichever dashboard made them. */
export const repositoriesReading = reading({
  at: 'POST /backups/find',
  params: FindRequest,
  needs: NEEDS.backups,
  answer: FoundRepositories,
  timeout_ms: SEARCH_MS,
})

export const backupsReading = reading({
  at: 'POST /backups/list',
  params: ListRequest,
  needs: NEEDS.backups,
  answer: ListedBackups,
  timeout_ms: SEARCH_MS,
})

export const keeperReading = reading({
  at: 'POST /backups/keeper',
  params: KeeperRequest,
  needs: NEEDS.backups,
  answer: KeeperTexts,
  timeout_ms: SEARCH_MS,
})
