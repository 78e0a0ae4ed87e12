/** What every call has that decides what an account may do. */
export const OWNERS = { right: 'accounts', needs_session: true, needs_confirmation: true } as const
