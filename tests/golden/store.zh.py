"""库存。"""


# 仓库的入口
@dataclass
class Store:
    """一个仓库。"""

    def open(self, name: str) -> None:
        # 先检查名字
        self.name = name


def main():
    return Store()
