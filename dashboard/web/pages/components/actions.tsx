import { RotateCw, Trash2 } from 'lucide-react'
import { Button, ButtonLink, IconButton } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { Plan } from '#shared/kernel/plan.ts'
import { Row } from './row.tsx'

export function Actions() {
  return (
    <Card title="Actions">
      <Row name="Button">
        <Button kind="primary">Create site</Button>
        <Button>Scan site</Button>
        <Button kind="quiet">Hide log</Button>
        <Button kind="danger">Delete permanently</Button>
      </Row>
      <Row name="Busy, disabled">
        <Button kind="primary" busy>
          Create site
        </Button>
        <Button disabled>Scan site</Button>
        <Button icon={<RotateCw />}>Retry</Button>
      </Row>
      <Row name="Link, icon, menu">
        <ButtonLink to="/docs/components">Open page</ButtonLink>
        <IconButton name="Retry" icon={<RotateCw />} />
        <Copy text="shop.example.com" what="the domain" />
        <Menu name="More actions">
          <MenuItem icon={<RotateCw />} onClick={() => undefined}>
            Retry
          </MenuItem>
          <MenuItem icon={<Trash2 />} danger onClick={() => undefined}>
            Delete site
          </MenuItem>
        </Menu>
      </Row>
      <Row name="Toast">
        <Button onClick={() => toast('The site was created')}>Show success</Button>
        <Button onClick={() => toast('The site could not be created', { error: true })}>
          Show error
        </Button>
        <Button
          onClick={() =>
            toast('Moving shop.example.com to the trash', {
              undo: { name: 'Undo', act: () => undefined },
            })
          }
        >
          Show undo
        </Button>
      </Row>
      <Row name="Dialog">
        <Question />
      </Row>
      <Row name="Key">
        <Kbd>Ctrl</Kbd>
        <Kbd>K</Kbd>
      </Row>
    </Card>
  )
}

const PLAN: Plan = {
  steps: [
    {
      name: 'files',
      title: 'Deleting the files',
      effects: [{ action: 'remove', kind: 'folder', name: '/srv/www/shop' }],
    },
  ],
}

function Question() {
  const { dialog, show } = useDialog()
  return (
    <>
      <Button onClick={show}>Open dialog</Button>
      <Confirm
        {...dialog}
        title="Delete shop.example.com permanently?"
        action="Delete permanently"
        typed="shop.example.com"
        onConfirm={async () => undefined}
      >
        <p className="mb-3">Its files and its database cannot be restored.</p>
        <PlanSummary plan={PLAN} />
      </Confirm>
    </>
  )
}
