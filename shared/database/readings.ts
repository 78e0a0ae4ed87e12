import { SiteRequest } from '#shared/kernel/agent-requests.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { reading } from '#shared/kernel/reading.ts'
import { DatabasePassword } from '#shared/servers/agent.ts'
import { ToolFileRequest, ToolRequest } from './database-tool.ts'
import { AgentDatabaseUsers } from './database-user.ts'
import { AgentDatabase, Exporting, Uploaded, UploadRequest } from './site-database.ts'

/** The time limit of two clients of MariaDB, each of which has its own. */
const TIMEOUT_MS = 130_000

export const databasePasswordReading = reading({
  at: 'POST /sites/db-password',
  params: SiteRequest,
  answer: DatabasePassword,
  permit: 'passwords',
})

/** Sizes and names in the database of a site. */
export const databaseReading = reading({
  at: 'POST /sites/database',
  params: SiteRequest,
  answer: AgentDatabase,
  timeout_ms: TIMEOUT_MS,
})

export const databaseUsersReading = reading({
  at: 'POST /sites/database-users',
  params: SiteRequest,
  answer: AgentDatabaseUsers,
  timeout_ms: TIMEOUT_MS,
})

/** An export as packed SQL, with the passwords of the site: it needs the right to users. */
export const exportReading = reading({
  at: 'POST /sites/database-export',
  params: SiteRequest,
  answer: 'bytes',
  permit: 'database.user',
})

export const exportingReading = reading({
  at: 'POST /sites/database-exporting',
  params: SiteRequest,
  answer: Exporting,
  timeout_ms: TIMEOUT_MS,
})

/** Stores a part of a dump. */
export const uploadReading = reading({
  at: 'POST /sites/database-upload',
  params: UploadRequest,
  answer: Uploaded,
  permit: 'database.import',
  timeout_ms: TIMEOUT_MS,
})

/** A page of Adminer. The agent limits its time, and the wait for its turn. */
export const toolReading = reading({
  at: 'POST /sites/database-tool',
  params: ToolRequest,
  needs: NEEDS.adminer_pages,
  answer: 'bytes',
  permit: 'database.tool',
  timeout_ms: 75_000,
})

export const toolFileReading = reading({
  at: 'POST /sites/database-tool-file',
  params: ToolFileRequest,
  needs: NEEDS.adminer_pages,
  answer: 'bytes',
  permit: 'database.tool',
  timeout_ms: 20_000,
})
