import { z } from 'zod'
import { NoParams, reading } from '#shared/kernel/reading.ts'
import { SiteMail } from './mail.ts'

/** The mail queue of each site; `running` is that of the server. */
export const mailReading = reading({
  at: 'GET /mail',
  params: NoParams,
  answer: { key: 'sites', entry: SiteMail, beside: z.object({ running: z.boolean() }) },
  timeout_ms: 'contact',
})
