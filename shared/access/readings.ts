import { z } from 'zod'
import { SiteRequest } from '#shared/kernel/agent-requests.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { listOf, NoParams, reading } from '#shared/kernel/reading.ts'
import {
  LoginList,
  LoginRefusal,
  MAX_LOGINS,
  OpenSession,
  ReportedAccess,
  SessionId,
  SiteLogin,
} from './site-access.ts'

/** Who can log in to which site. */
export const accessReading = reading({
  at: 'GET /access',
  params: NoParams,
  answer: listOf('sites', ReportedAccess),
})

/** The logins to sites, and the refused attempts of past hours. */
export const loginsReading = reading({
  at: 'GET /logins',
  params: NoParams,
  answer: {
    key: 'logins',
    entry: SiteLogin,
    beside: z.object({
      refusals: z.array(LoginRefusal).max(MAX_LOGINS).default([]),
      list: LoginList.nullable().default(null),
    }),
  },
})

/** The sessions of a site that are open now. */
export const openSessionsReading = reading({
  at: 'POST /sites/sessions',
  params: SiteRequest,
  answer: z.object({ sessions: z.array(OpenSession) }),
  needs: NEEDS.sessions,
})

/** Ends one session. Answers with it; 404 if it has ended. */
export const endSessionReading = reading({
  at: 'POST /sites/sessions/end',
  params: SiteRequest.extend({ id: SessionId }),
  answer: z.object({ session: OpenSession }),
  needs: NEEDS.sessions,
  is_once: true,
})
