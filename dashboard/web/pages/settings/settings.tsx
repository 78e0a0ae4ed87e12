import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function SettingsPage() {
  return (
    <Page title="Settings">
      <Skeleton />
    </Page>
  )
}
