import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import { Uploaded, type UploadRequest } from '#shared/site-database.ts'
import { askAbout } from './ask.ts'

/** Passed on to the server of the site; the dashboard stores nothing of it. */
export const uploadPart = (
  deps: { agents: Agents },
  target: SiteTarget,
  { upload, part, data }: Omit<UploadRequest, 'domain'>,
): Promise<{ part: number }> =>
  askAbout(deps, target, '/sites/database-upload', Uploaded, { upload, part, data })
