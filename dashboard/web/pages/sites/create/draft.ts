import type { NewSite } from '#dashboard/web/api/sites.ts'
import { sessionState } from '#dashboard/web/ui/session-state.ts'
import { Domain, Email } from '#shared/kernel/fields.ts'
import type { TIERS, TLS_MODES } from '#shared/kernel/values.ts'

/** The values of the form. */
export interface Draft {
  server_id: number | undefined
  domain: string
  /** Empty: the default. */
  php: string
  tier: (typeof TIERS)[number]
  tls: (typeof TLS_MODES)[number]
  email: string
}

const EMPTY: Draft = {
  server_id: undefined,
  domain: '',
  php: '',
  tier: 'small',
  tls: 'letsencrypt',
  email: '',
}

/** The input is kept until the site is created. */
export const draft = sessionState(EMPTY)
/** The last server in the address: it is selected once and can be changed. */
const named = sessionState<number | undefined>(undefined)

export function takeServer(server_id: number | undefined): void {
  const isNew = server_id !== undefined && server_id !== named.get()
  named.set(() => server_id)
  if (isNew) draft.set((before) => ({ ...before, server_id, php: '' }))
}

/** The only server stays selected when others come online. */
export function takeOnly(server_id: number | undefined): void {
  if (server_id !== undefined)
    draft.set((before) => (before.server_id === undefined ? { ...before, server_id } : before))
}

export function forgetDraft(): void {
  draft.set(() => EMPTY)
  named.set(() => undefined)
}

export type Mistakes = Partial<Record<keyof Draft, string>>

/** The mistakes by the rules of the API. */
export function mistakesIn({ server_id, domain, email }: Draft): Mistakes {
  const domain_error = ruleOf(Domain.safeParse(domain), domain === '' ? 'Domain is required' : '')
  const email_error = email === '' ? undefined : ruleOf(Email.safeParse(email))
  return {
    ...(server_id === undefined && { server_id: 'Choose a server' }),
    ...(domain_error && { domain: domain_error }),
    ...(email_error && { email: email_error }),
  }
}

function ruleOf(read: ReturnType<typeof Email.safeParse>, first = ''): string | undefined {
  return read.success ? undefined : first || read.error.issues[0]?.message
}

/** The body for the API; the dashboard completes missing fields. */
export function siteOf({ domain, php, tier, tls, email }: Draft): NewSite {
  return { domain, tier, tls, ...(php && { php }), ...(email && { email }) }
}
