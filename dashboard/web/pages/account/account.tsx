import { useQuery } from '@tanstack/react-query'
import { meQuery } from '#dashboard/web/api/session.ts'
import { Page } from '#dashboard/web/ui/page.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'

export function AccountPage() {
  const { data: user } = useQuery(meQuery)
  return (
    <Page title="Account" about={user && `${user.name}, ${user.email}`}>
      <Tokens />
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <Password />
        <Sessions />
      </div>
    </Page>
  )
}
