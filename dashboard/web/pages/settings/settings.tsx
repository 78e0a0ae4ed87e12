import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../../api/settings.ts'
import { formatDuration } from '../../ui/format.ts'
import { Card, Page } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Keys } from './keys.tsx'
import { Notifications } from './notifications.tsx'
import { TextSetting } from './text-setting.tsx'

export function SettingsPage() {
  const { data, error, refetch } = useQuery(settingsQuery)
  return (
    <Page title="Settings" about="For everybody who uses this dashboard.">
      {error && <Failure error={error} onRetry={refetch} />}
      <Card title="Sites and servers">
        {!data && !error && <Skeleton rows={4} />}
        {data && (
          <div className="flex flex-col gap-6">
            <TextSetting
              setting="default_php"
              label="Default PHP version"
              hint="Of a new site that does not ask for another, such as 8.3."
              value={data.default_php}
              read={(text) => text}
              input={{ inputMode: 'decimal' }}
            />
            <TextSetting
              setting="sync_interval"
              label="Time between syncs"
              hint={`In seconds. Each server is looked at every ${formatDuration(1000 * data.sync_interval)}.`}
              value={String(data.sync_interval)}
              read={numberOf}
              input={{ inputMode: 'numeric' }}
            />
            <Notifications value={data.email_notifications} />
          </div>
        )}
      </Card>
      <Keys />
    </Page>
  )
}

/** What is no number goes as it is, so that the refusal says what is wrong with it. */
const numberOf = (text: string): unknown => (text === '' ? text : Number(text))
