import type { FleetActivity } from '#shared/kernel/api/activity.ts'
import { OPERATION_CHOICES } from './operation.ts'

/** The recorded actions that are not operations. */
const OTHERS: Record<string, string> = {
  'server.create': 'Add server',
  'server.update': 'Edit server',
  'server.delete': 'Remove server',
  'server.lost': 'Declare server lost',
  'server.found': 'Use lost server again',
  'server.enrol': 'Enrol server',
  'server.revoke': 'Revoke agent',
  'site.db_password': 'Show database password',
  'site.staging_password': 'Show staging password',
  'site.log_download': 'Download log',
  'database.export': 'Export database',
  'site.sftp_login': 'Log in by SFTP',
  'site.shell_login': 'Log in with a shell',
  'site.client_login': 'Log in with a client account',
  'site.logout': 'Log out of SFTP or SSH',
  'site.login_refused': 'Refused logins by SFTP or SSH',
  'site.session_end': 'End SFTP or SSH session',
  'site.wordpress_login': 'Enter WordPress',
  'server.logins_missing': 'Logins not reported',
  'site.ignore': 'Ignore site',
  'site.unignore': 'Show ignored site',
  'site.admin_password': 'Reset admin password',
  'operation.cancel': 'Cancel operation',
  'bulk.create': 'Start bulk operation',
  'bulk.cancel': 'Cancel bulk operation',
  'bulk.resume': 'Resume bulk operation',
  'backup.adopt': 'Record found backups',
  'backup.download': 'Download backup',
  'backup.kit_create': 'Create recovery kit',
  'backup.kit_confirm': 'Confirm recovery kit',
  'dns.account_create': 'Add DNS account',
  'dns.account_update': 'Change DNS account',
  'dns.account_delete': 'Remove DNS account',
  'dns.records': 'Change DNS records',
  'cdn.purge': 'Purge Cloudflare cache',
  'dns.records_undo': 'Restore DNS records',
  'backup.target_create': 'Add backup target',
  'backup.target_update': 'Edit backup target',
  'backup.target_delete': 'Remove backup target',
  'settings.update': 'Change setting',
  'notifications.test': 'Send test notification',
  'report.settings': 'Change who gets the report',
  'report.send': 'Send report',
  'report.test': 'Send test of report',
  'branding.update': 'Change branding',
  'branding.logo': 'Change logo',
  'branding.logo_delete': 'Remove logo',
  'backup.settings': 'Change backups of site',
  'backup.rules': 'Change backup rules',
  'backup.dashboard': 'Back up dashboard',
  'backup.dashboard_check': 'Check target of the dashboard',
  'backup.dashboard_target': 'Set target of the dashboard',
  'backup.dashboard_target_delete': 'Remove target of the dashboard',
  'records.restore': 'Restore records',
  'records.confirm': 'Confirm what was found after a restore',
  'key.rotate': 'Rotate signing key',
  'key.retire': 'Retire signing key',
  'restore.request': 'Request restore',
  'restore.dismiss': 'Dismiss request for a restore',
  'site.visitor_password': 'Show visitor password',
  'backup.refresh': 'Read backups again',
  'person.create': 'Add person',
  'person.delete': 'Remove person',
  'person.key_add': 'Add key of person',
  'person.key_delete': 'Remove key of person',
  'account.make_owner': 'Make an owner on the machine of the dashboard',
  'account.invite': 'Invite person',
  'account.invite_revoke': 'Revoke invitation',
  'account.accept': 'Accept invitation',
  'account.create': 'Create account by claim',
  'account.role': 'Change role',
  'account.deactivate': 'Deactivate account',
  'account.activate': 'Activate account',
  'account.remove': 'Remove account',
  'service_account.create': 'Create service account',
  'service_account.change': 'Change service account',
  'service_account.deactivate': 'Deactivate service account',
  'service_account.activate': 'Activate service account',
  'service_account.remove': 'Remove service account',
  'auth.login': 'Sign in',
  'auth.logout': 'Sign out',
  'auth.logout_everywhere': 'Sign out everywhere',
  'auth.password': 'Change password',
  'auth.profile': 'Change own account',
  'auth.reset': 'Set password with a link',
  'auth.reset_request': 'Request link to set password',
  'auth.session_end': 'End session',
  'auth.session_expire': 'Session expired',
  'auth.identity_link': 'Link login of a provider',
  'auth.identity_unlink': 'Unlink login of a provider',
  'auth.token_create': 'Create API token',
  'auth.token_use': 'Use API token from a new address',
  'auth.token_refused': 'API token refused for its address',
  'auth.token_delete': 'Delete API token',
  'auth.factor_enable': 'Turn on two-factor authentication',
  'auth.factor_disable': 'Turn off two-factor authentication',
  'auth.factor_reset': 'Reset two-factor authentication',
  'auth.recovery_codes': 'Create recovery codes',
  'sso.provider_create': 'Add identity provider',
  'sso.provider_update': 'Change identity provider',
  'sso.provider_delete': 'Remove identity provider',
  'auth.passkey_add': 'Add passkey',
  'auth.passkey_rename': 'Rename passkey',
  'auth.passkey_remove': 'Remove passkey',
  'auth.factor_rule': 'Change which accounts need a second factor',
}

const NAMES = new Map([
  ...OPERATION_CHOICES.map(({ value, name }): [string, string] => [value, name]),
  ...Object.entries(OTHERS),
])

export const ACTIVITY_TYPES = [...NAMES]
  .map(([value, name]) => ({ value, name }))
  .sort((one, other) => one.name.localeCompare(other.name))

/** The name of an action; an unknown type is shown unchanged. */
export const activityName = (type: string): string => NAMES.get(type) ?? type

const SOURCES: Record<FleetActivity['via'], string> = {
  session: 'Browser',
  token: 'API token',
  schedule: 'Schedule',
  agent: 'Agent',
  system: 'Dashboard itself',
}

export const ACTIVITY_SOURCES = Object.entries(SOURCES).map(([value, name]) => ({ value, name }))

/** Who did it: a person, a script with an API token of that person, or nobody. */
export function actorOf({
  actor,
  token,
  via,
}: Pick<FleetActivity, 'actor' | 'token' | 'via'>): string {
  if (actor === null) return via === 'schedule' || via === 'agent' ? SOURCES[via] : 'System'
  return token === null ? actor : `Token ${token} of ${actor}`
}
