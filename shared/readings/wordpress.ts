import { AdminPassword } from '#shared/agent.ts'
import { SiteRequest } from '#shared/agent-requests.ts'
import { reading } from '#shared/reading.ts'
import { WordpressUsers } from '#shared/wp-login.ts'

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
