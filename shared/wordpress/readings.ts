import { SiteRequest } from '#shared/kernel/agent-requests.ts'
import { reading } from '#shared/kernel/reading.ts'
import { AdminPassword } from '#shared/servers/agent.ts'
import { WordpressUsers } from './wp-login.ts'

export const wordpressUsersReading = reading({
  at: 'POST /sites/wordpress-users',
  params: SiteRequest,
  answer: WordpressUsers,
})

/** Sets a new password of the WordPress administrator. */
export const adminPasswordReading = reading({
  at: 'POST /sites/admin-password',
  params: SiteRequest,
  answer: AdminPassword,
  permit: 'passwords',
})
