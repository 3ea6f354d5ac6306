package io.quorate.benchmarks.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The main source files of all modules, parsed.
 *
 * @param files of all modules
 * @param methods of all files, constructors among them
 * @param records of all files
 */
record SourceTree(List<SourceFile> files, List<Method> methods, List<Record> records) {

  /**
   * A source file.
   *
   * @param lines the number of its lines
   */
  record SourceFile(String module, String packageName, String typeName, int lines) {}

  /**
   * A method.
   *
   * @param lines from its first to its last one, without Javadoc
   */
  record Method(String name, int lines) {}

  /**
   * A record type.
   *
   * @param components the number of its components
   */
  record Record(String name, int components) {}

  /**
   * Parses all modules.
   *
   * @param home the directory of the project
   */
  static SourceTree of(Path home) throws IOException {
    SourceTree tree = new SourceTree(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    List<Path> paths = new ArrayList<>();
    for (Path module : modules(home)) {
      try (Stream<Path> found = Files.walk(module.resolve("src/main/java"))) {
        for (Path path :
            found.filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
          paths.add(path);
          tree.files.add(file(module, path));
        }
      }
    }
    tree.parse(paths);
    return tree;
  }

  private static List<Path> modules(Path home) throws IOException {
    try (Stream<Path> found = Files.list(home)) {
      return found
          .filter(path -> Files.exists(path.resolve("pom.xml")))
          .filter(path -> Files.isDirectory(path.resolve("src/main/java")))
          .toList();
    }
  }

  private static SourceFile file(Path module, Path path) throws IOException {
    Path relative = module.resolve("src/main/java").relativize(path);
    String file = relative.getFileName().toString();
    return new SourceFile(
        module.getFileName().toString(),
        relative.getParent().toString().replace('/', '.'),
        file.substring(0, file.length() - ".java".length()),
        Files.readAllLines(path).size());
  }

  private void parse(List<Path> paths) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  diagnostic -> {},
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(paths));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        new Scanner(unit, positions).scan(unit, null);
      }
    }
  }

  private final class Scanner extends TreePathScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;

    Scanner(CompilationUnitTree unit, SourcePositions positions) {
      this.unit = unit;
      this.positions = positions;
    }

    @Override
    public Void visitClass(ClassTree type, Void none) {
      if (type.getKind() == Tree.Kind.RECORD) {
        long components =
            type.getMembers().stream()
                .filter(VariableTree.class::isInstance)
                .map(VariableTree.class::cast)
                .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                .count();
        records.add(new Record(type.getSimpleName().toString(), (int) components));
      }
      return super.visitClass(type, none);
    }

    @Override
    public Void visitMethod(MethodTree method, Void none) {
      LineMap map = unit.getLineMap();
      long first = positions.getStartPosition(unit, method);
      long last = positions.getEndPosition(unit, method);
      if (first >= 0 && last >= 0) {
        ClassTree type = (ClassTree) getCurrentPath().getParentPath().getLeaf();
        int lines = (int) (map.getLineNumber(last) - map.getLineNumber(first) + 1);
        methods.add(new Method(type.getSimpleName() + "." + method.getName(), lines));
      }
      return super.visitMethod(method, none);
    }
  }
}
