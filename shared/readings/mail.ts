import { z } from 'zod'
import { SiteMail } from '#shared/agent.ts'
import { NoParams, reading } from '#shared/reading.ts'

/** The mail queue of each site; `running`: that of the server. */
export const mailReading = reading({
  at: 'GET /mail',
  params: NoParams,
  answer: { key: 'sites', entry: SiteMail, beside: z.object({ running: z.boolean() }) },
  timeout_ms: 'contact',
})
