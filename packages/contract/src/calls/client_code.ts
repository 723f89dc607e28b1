import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { ByKid, Done, edited, Instant, Kid, Line, paged, paging, Search, text, shaped } from '../wire.ts'

/** "5-character letters or digits" (specification, 5, Codes). */
const Code = z
  .string()
  .trim()
  .regex(...shaped('client_code', /^[A-Za-z0-9]{5}$/))
const Name = Line(64, 1)

export const ClientCode = z.object({
  kid: Kid,
  code: Code,
  name: Name,
  remark: z.string(),
  created_at: Instant,
  updated_at: Instant,
})
export type ClientCode = z.output<typeof ClientCode>
const Draft = z.object({ code: Code, name: Name, remark: Line(200).default('') })

export const opsClientCode = group('ops/client_code', text('Customer codes', 'Mã khách hàng', '客户代码'), {
  paging: read('POST', {
    needs: 'informationListClientCode',
    title: text('List customer codes', 'Danh sách mã khách hàng', '客户代码列表'),
    input: paging(['code', 'name', 'updated_at']).extend({ text: Search }),
    output: paged(ClientCode),
  }),
  get: read('GET', {
    needs: 'informationListClientCode',
    title: text('Read a customer code', 'Đọc mã khách hàng', '读取客户代码'),
    input: ByKid,
    output: ClientCode,
  }),
  exists: read('GET', {
    needs: 'informationListClientCode',
    title: text('Check a customer code', 'Kiểm tra mã khách hàng', '检查客户代码'),
    input: z.object({
      code: Line(64).optional(),
      name: Line(64).optional(),
      src_kid: Kid.optional(),
    }),
    output: z.object({ exists: z.boolean() }),
  }),
  insert: write('POST', {
    needs: 'clientCodeAdd',
    title: text('Create a customer code', 'Tạo mã khách hàng', '新建客户代码'),
    input: Draft,
    output: ClientCode,
    errors: ['duplicate_code', 'duplicate_name'],
  }),
  update: write('POST', {
    needs: 'clientCodeEdit',
    title: text('Edit a customer code', 'Sửa mã khách hàng', '编辑客户代码'),
    input: edited(Draft).extend({ kid: Kid }),
    output: ClientCode,
    errors: ['duplicate_code', 'duplicate_name'],
  }),
  delete: write('POST', {
    needs: 'informationListClientCode:delete',
    title: text('Delete a customer code', 'Xóa mã khách hàng', '删除客户代码'),
    input: ByKid,
    output: Done,
  }),
})
