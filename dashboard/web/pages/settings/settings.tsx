import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import { DnsAccounts } from '#dashboard/web/pages/domains/accounts/accounts-card.tsx'
import { BrandingCard } from '#dashboard/web/pages/reports/branding-card.tsx'
import { RecipientsCard } from '#dashboard/web/pages/reports/recipients-card.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { FleetPage } from '#dashboard/web/ui/fleet-page.tsx'
import { formatDuration } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ReadOnly } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import {
  BACKUP_INTERVALS,
  PROOF_INTERVALS,
  type BackupWindow as Times,
} from '#shared/backups/backup-schedule.ts'
import { PHP_VERSIONS, supportEnds } from '#shared/php/php-support.ts'
import type { FleetSettings } from '#shared/settings/api/settings.ts'
import { Keys } from './keys.tsx'
import { Notifications } from './notifications.tsx'
import { IdentityProviders } from './providers.tsx'
import { SecondFactorCard } from './second-factor.tsx'
import { SettingForm, SwitchSetting, TextSetting, useSave } from './setting.tsx'

export function SettingsPage() {
  return (
    <FleetPage title="Settings" what="see settings">
      <Settings />
    </FleetPage>
  )
}

function Settings() {
  const { data, error, refetch } = useQuery(settingsQuery)
  return (
    <Page title="Settings" about="For everybody who uses this dashboard.">
      <ReadOnly unless="admin" what="settings">
        <Card title="Sites and servers">
          <QueryState of={{ data, error, refetch }} rows={4} />
          {data && (
            <div className="flex flex-col gap-6">
              <TextSetting
                setting="default_php"
                label="Default PHP version"
                hint="For new sites where no other version is chosen."
                value={data.default_php}
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
              <SwitchSetting
                setting="unattended_updates"
                label="Unattended security updates"
                about="Servers install the security updates of Debian automatically each day, and restart the affected services without interrupting sites. The configuration of an administrator on a server is not changed."
                value={data.unattended_updates}
              />
              <SwitchSetting
                setting="site_shell"
                label="Shells of sites"
                about="People with access to a site can be given a shell in its sandbox, in addition to SFTP. Turning this off does not remove existing shells."
                value={data.site_shell}
              />
              <SwitchSetting
                setting="client_accounts"
                label="Client accounts"
                about="Sites can be given SFTP accounts with a password, for clients without an SSH key. Turning this off does not remove existing accounts."
                value={data.client_accounts}
              />
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
                options={BACKUP_INTERVALS}
              />
              <TextSetting
                setting="proof_every"
                label="Proof interval"
                hint="How often the newest backup of each site is restored into a hidden site, checked and removed. monthly: every four weeks."
                value={data.proof_every}
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
              <SwitchSetting
                setting="backup_first"
                label="Backup before changes"
                about="Before another PHP version, a push, a deletion, and all updates of a server, a site without a backup of the last hour is backed up. If the backup fails, nothing changes. A tag or a site can have its own choice; staging sites are left out."
                value={data.backup_first}
              />
            </div>
          )}
        </Card>
        {data && <Notifications value={data.email_notifications} />}
        <BrandingCard />
        {data && (
          <Card title="Reports">
            <ReportTime value={data.report_time} />
          </Card>
        )}
      </ReadOnly>
      <RecipientsCard />
      <IdentityProviders />
      <SecondFactorCard />
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

/** The length of each interval of syncs in seconds, by its name. */
const INTERVALS: Record<string, number> = {
  Never: 0,
  'Every minute': 60,
  'Every 2 minutes': 120,
  'Every 5 minutes': 300,
  'Every 10 minutes': 600,
  'Every 15 minutes': 900,
  'Every 30 minutes': 1800,
  'Every hour': 3600,
}

/** The API takes any number of seconds: another one stays a choice. */
function VisitInterval({ value }: { value: number }) {
  const [known] = Object.entries(INTERVALS).find(([, seconds]) => seconds === value) ?? []
  const current = known ?? `Every ${value} seconds`
  return (
    <TextSetting
      setting="visit_interval"
      label="Request sites from outside"
      hint="How often this dashboard requests the front page of each site as a visitor. A PHP that sleeps wakes for it. A site is also requested right after each change of its files, options or plugins."
      value={current}
      read={(text) => INTERVALS[text] ?? value}
      options={known ? Object.keys(INTERVALS) : [current, ...Object.keys(INTERVALS)]}
    />
  )
}

/** The times between which backups start, with one save button. */
function BackupWindow({ value }: { value: Times }) {
  const [draft, setDraft] = useState<Times>()
  const saving = useSave('backup_window', 'Backup window')
  const times = draft ?? value
  const timeOf = (key: keyof Times) => ({
    name: `backup_window_${key}`,
    type: 'time',
    value: times[key],
    className: 'tabular-nums',
    onChange: (time: string) => {
      saving.reset()
      setDraft({ ...times, [key]: time })
    },
  })
  return (
    <SettingForm saving={saving} draft={draft} onDraft={setDraft} value={times}>
      <div className="w-full sm:w-72">
        <TextField
          {...timeOf('from')}
          label="Backups start from"
          hint="UTC. The sites are spread over the time until the second field."
          error={saving.refusal}
        />
      </div>
      <div className="w-full sm:w-40">
        <TextField {...timeOf('to')} label="until" hint="UTC. May be on the next day." />
      </div>
    </SettingForm>
  )
}

const REPORT_DAYS = [1, 2, 3, 4, 5]

/** When the reports for clients are mailed, with one save button. */
function ReportTime({ value }: { value: FleetSettings['report_time'] }) {
  const [draft, setDraft] = useState<FleetSettings['report_time']>()
  const saving = useSave('report_time', 'Time of reports')
  const time = draft ?? value
  const change = (part: Partial<typeof value>) => {
    saving.reset()
    setDraft({ ...time, ...part })
  }
  return (
    <SettingForm saving={saving} draft={draft} onDraft={setDraft} value={time}>
      <div className="w-full sm:w-72">
        <SelectField
          name="report_day"
          label="Reports are mailed on day"
          hint="Of the next month. Each site has its own recipients."
          value={time.day}
          options={REPORT_DAYS.map((day) => ({ value: day, name: String(day) }))}
          onChange={(day) => change({ day })}
        />
      </div>
      <div className="w-full sm:w-40">
        <TextField
          name="report_at"
          label="at"
          hint="UTC."
          type="time"
          className="tabular-nums"
          error={saving.refusal}
          value={time.at}
          onChange={(at) => change({ at })}
        />
      </div>
    </SettingForm>
  )
}
