import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function TrashPage() {
  return (
    <Page title="Trash">
      <Skeleton />
    </Page>
  )
}
