import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import { DnsAccounts } from '#dashboard/web/pages/domains/accounts/accounts-card.tsx'
import { formatDuration } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { BACKUP_INTERVALS, PROOF_INTERVALS } from '#shared/backups/backup-schedule.ts'
import { PHP_VERSIONS, supportEnds } from '#shared/php/php-support.ts'
import { BackupFirst } from './backup-first.tsx'
import { BackupWindow } from './backup-window.tsx'
import { ClientAccounts } from './client-accounts.tsx'
import { Keys } from './keys.tsx'
import { Notifications } from './notifications.tsx'
import { SiteShell } from './site-shell.tsx'
import { TextSetting } from './text-setting.tsx'
import { UnattendedUpdates } from './unattended-updates.tsx'
import { VisitInterval } from './visit-interval.tsx'

export function SettingsPage() {
  const { data, error, refetch } = useQuery(settingsQuery)
  return (
    <Page title="Settings" about="For everybody who uses this dashboard.">
      <Card title="Sites and servers">
        <QueryState of={{ data, error, refetch }} rows={4} />
        {data && (
          <div className="flex flex-col gap-6">
            <TextSetting
              setting="default_php"
              label="Default PHP version"
              hint="For new sites where no other version is chosen."
              value={data.default_php}
              read={(text) => text}
              options={phpOptions(data.default_php)}
            />
            <TextSetting
              setting="sync_interval"
              label="Sync interval"
              hint={`In seconds. Each server is synced every ${formatDuration(1000 * data.sync_interval)}.`}
              value={String(data.sync_interval)}
              read={numberOf}
              input={{ inputMode: 'numeric' }}
            />
            <VisitInterval value={data.visit_interval} />
            <UnattendedUpdates value={data.unattended_updates} />
            <SiteShell value={data.site_shell} />
            <ClientAccounts value={data.client_accounts} />
          </div>
        )}
      </Card>
      <Card title="Backups of sites">
        <QueryState of={{ data, error, refetch }} rows={2} />
        {data && (
          <div className="flex flex-col gap-6">
            <TextSetting
              setting="backup_every"
              label="Backup interval"
              hint="For sites without an interval of their own."
              value={data.backup_every}
              read={(text) => text}
              options={BACKUP_INTERVALS}
            />
            <TextSetting
              setting="proof_every"
              label="Proof interval"
              hint="How often the newest backup of each site is restored into a hidden site, checked and removed. monthly: every four weeks."
              value={data.proof_every}
              read={(text) => text}
              options={PROOF_INTERVALS}
            />
            <BackupWindow value={data.backup_window} />
            <TextSetting
              setting="backups_per_server"
              label="Backups at the same time on a server"
              hint="At most 3, so that other work finds a place. A tag can have its own number."
              value={String(data.backups_per_server)}
              read={numberOf}
              input={{ inputMode: 'numeric' }}
            />
            <TextSetting
              setting="backups_at_once"
              label="Backups at the same time on all servers"
              hint="Automatic backups wait while so many run: at most 100."
              value={String(data.backups_at_once)}
              read={numberOf}
              input={{ inputMode: 'numeric' }}
            />
            <TextSetting
              setting="proofs_at_once"
              label="Proofs at the same time on all servers"
              hint="Automatic proofs wait while so many run: at most 100, and one on each server."
              value={String(data.proofs_at_once)}
              read={numberOf}
              input={{ inputMode: 'numeric' }}
            />
            <BackupFirst value={data.backup_first} />
          </div>
        )}
      </Card>
      {data && <Notifications value={data.email_notifications} />}
      <DnsAccounts />
      <Keys />
      <p className="text-muted">
        Hosting Control contains open-source software.{' '}
        <a className="text-accent underline" href="/assets/third-party-notices.txt">
          Third-party notices
        </a>
      </p>
    </Page>
  )
}

/** Versions with security fixes or from Debian, newest first, and always the current one. */
function phpOptions(current: string): readonly string[] {
  const offered = PHP_VERSIONS.filter((version) => version === current || isSupported(version))
  return [...new Set([...offered, current])].reverse()
}

function isSupported(version: string): boolean {
  const systems = ['', 'Debian GNU/Linux 12', 'Debian GNU/Linux 13']
  return systems.some((os) => Date.parse(supportEnds(version, os) ?? '') > Date.now())
}

/** Text that is no number is sent unchanged, so that the API explains what is wrong. */
const numberOf = (text: string): unknown => (text === '' ? text : Number(text))
