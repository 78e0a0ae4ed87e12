import { Compass } from 'lucide-react'
import { ButtonLink } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        icon={<Compass aria-hidden />}
        title="There is nothing at this address"
        action={<ButtonLink to="/">To the overview</ButtonLink>}
      >
        It may have been deleted, or the address is incomplete.
      </Empty>
    </Page>
  )
}
