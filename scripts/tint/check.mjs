// Compiles all WGSL files of a folder with Tint, through Dawn's null backend, which needs no GPU.
// Usage: node check.mjs FOLDER
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create, globals } from "webgpu";

const folder = process.argv[2];
Object.assign(globalThis, globals);
// Kept, so that they are not collected while modules compile.
globalThis.gpu = create(["backend=null"]);
const adapter = await globalThis.gpu.requestAdapter();
const wanted = ["subgroups", "shader-f16", "timestamp-query"].filter((name) => adapter.features.has(name));
globalThis.device = await adapter.requestDevice({ requiredFeatures: wanted });

const files = readdirSync(folder).filter((file) => file.endsWith(".wgsl")).sort();
let compiled = 0;
let failed = 0;
for (const file of files) {
    // Tint wants two directives that naga does not know: one for subgroup operations, and one for branches around shuffles that take
    // whole subgroups, which no analysis can tell.
    const source = readFileSync(join(folder, file), "utf8");
    const needs = source.match(/^\/\/ device features: (.*)$/m)?.[1] ?? "";
    // WebGPU has neither.
    if (/f64|64-bit/.test(needs)) continue;
    compiled += 1;
    const usesSubgroups = /\bsubgroup/.test(source);
    const directives = usesSubgroups ? "enable subgroups; diagnostic(off, subgroup_uniformity); " : "";
    globalThis.device.pushErrorScope("validation");
    const module = globalThis.device.createShaderModule({ code: directives + source });
    const { messages } = await module.getCompilationInfo();
    await globalThis.device.popErrorScope();
    const errors = messages.filter((message) => message.type === "error");
    if (errors.length === 0) continue;
    failed += 1;
    const lines = source.split("\n");
    console.log(`${file}: ${lines[0]}`);
    for (const { lineNum, message } of errors) {
        const heading = lines.slice(0, lineNum).findLast((line) => line.startsWith("// shaders/")) ?? "";
        console.log(`  ${message}\n    ${(lines[lineNum - 1] ?? "").trim()} (line ${lineNum}, ${heading.slice(3)})`);
    }
    if (failed === 10) {
        console.log("...");
        break;
    }
}
console.log(`Tint compiled ${compiled} kernels; ${failed} failed.`);
process.exit(compiled > 0 && failed === 0 ? 0 : 1);
